// Weights, options, threads, memory, metadata and whatever else programs ask the C API about.
#include <fstream>
#include <sstream>
#include <thread>

#include "fixture.h"

namespace tc::client {
namespace {

TEST_P(Calls, InitialisersThatCallersOverride) {
  const Handle s = c.session(models::overridable());
  EXPECT_EQ(c.get<size_t>(kSessionGetInputCount, s), 1U);
  ASSERT_EQ(c.get<size_t>(kSessionGetOverridableInitializerCount, s), 1U);
  EXPECT_EQ(c.text(c.get<char*>(kSessionGetOverridableInitializerName, s, size_t{0}, c.allocator)), "w");
  std::vector<float> x = {1, 2, 3}, w = {100, 200, 300};
  const Handle v = c.floats(x, {3}), other = c.floats(w, {3});
  for (const bool given : {false, true, false}) {
    Client::Feeds feeds = {{"x", v}};
    if (given) feeds.emplace_back("w", other);
    auto y = c.run(s, feeds, {"y"});
    EXPECT_EQ(c.elements<float>(y[0]), given ? (std::vector<float>{101, 202, 303}) : (std::vector<float>{11, 22, 33}));
    c.release(kReleaseValue, y[0]);
  }
  for (const Handle h : {v, other}) c.release(kReleaseValue, h);
  c.release(kReleaseSession, s);
}

TEST_P(Calls, WeightsFromElsewhere) {
  std::vector<float> x = {1, 2, 3}, w = {7, 8, 9};
  const Handle v = c.floats(x, {3}), weights = c.floats(w, {3});
  Handle o = c.options();
  const char* file = "weights.bin";
  char* contents = reinterpret_cast<char*>(w.data());
  const size_t size = 12;
  c.ok(kAddExternalInitializersFromFilesInMemory, o, &file, static_cast<char* const*>(&contents), &size, size_t{1});
  const Handle external = c.session(models::external(), o);
  o = c.options();
  c.ok(kAddInitializer, o, "w", weights);
  const Handle replaced = c.session(models::overridable(), o);
  for (const Handle s : {external, replaced}) {
    auto y = c.run(s, {{"x", v}}, {"y"});
    EXPECT_EQ(c.elements<float>(y[0]), (std::vector<float>{8, 10, 12}));
    c.release(kReleaseValue, y[0]);
    c.release(kReleaseSession, s);
  }
  for (const Handle h : {v, weights}) c.release(kReleaseValue, h);
}

TEST_P(Calls, DimensionsThatAreFixed) {
  const Handle o = c.options();
  c.ok(kAddFreeDimensionOverrideByName, o, "n", int64_t{4});
  const Handle s = c.session(models::sum(), o);
  const Handle type = c.get<Handle>(kSessionGetInputTypeInfo, s, size_t{0});
  int64_t dims[2];
  c.ok(kGetDimensions, c.get<Handle>(kCastTypeInfoToTensorInfo, type), dims, size_t{2});
  EXPECT_EQ(dims[0], 4);
  c.release(kReleaseTypeInfo, type);
  c.release(kReleaseSession, s);
}

TEST_P(Calls, WhatModelsSayAboutThemselves) {
  const Handle s = c.session(models::with_metadata()), m = c.get<Handle>(kSessionGetModelMetadata, s);
  EXPECT_EQ(c.text(c.get<char*>(kModelMetadataGetProducerName, m, c.allocator)), "by hand");
  EXPECT_EQ(c.text(c.get<char*>(kModelMetadataGetGraphName, m, c.allocator)), "g");
  EXPECT_EQ(c.text(c.get<char*>(kModelMetadataGetDomain, m, c.allocator)), "a.domain");
  EXPECT_EQ(c.text(c.get<char*>(kModelMetadataGetDescription, m, c.allocator)), "of the model");
  EXPECT_EQ(c.text(c.get<char*>(kModelMetadataGetGraphDescription, m, c.allocator)), "of the graph");
  EXPECT_EQ(c.get<int64_t>(kModelMetadataGetVersion, m), 17);
  EXPECT_EQ(c.text(c.get<char*>(kModelMetadataLookupCustomMetadataMap, m, c.allocator, "key")), "value");
  EXPECT_EQ(c.text(c.get<char*>(kModelMetadataLookupCustomMetadataMap, m, c.allocator, "none")), "(null)");
  char** keys = nullptr;
  int64_t n = 0;
  c.ok(kModelMetadataGetCustomMetadataMapKeys, m, c.allocator, &keys, &n);
  ASSERT_EQ(n, 1);
  EXPECT_EQ(c.text(keys[0]), "key");
  c.ok(kAllocatorFree, c.allocator, static_cast<void*>(keys));
  c.release(kReleaseModelMetadata, m);
  c.release(kReleaseSession, s);
}

TEST_P(Calls, ProfilesAreFiles) {
  const std::string prefix = testing::TempDir() + "tc_dropin_profile";
  const Handle o = c.options();
  c.ok(kEnableProfiling, o, prefix.c_str());
  const Handle s = c.session(models::sum(), o);
  std::vector<float> x = {1, 2, 3};
  const Handle v = c.floats(x, {1, 3});
  c.release(kReleaseValue, c.run(s, {{"x", v}}, {"y"})[0]);
  EXPECT_GT(c.get<uint64_t>(kSessionGetProfilingStartTimeNs, s), 0U);
  const std::string path = c.text(c.get<char*>(kSessionEndProfiling, s, c.allocator));
  EXPECT_EQ(path.rfind(prefix, 0), 0U) << path;
  c.release(kReleaseValue, v);
  c.release(kReleaseSession, s);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("\"dur\""), std::string::npos);
  std::filesystem::remove(path);
}

TEST_P(Calls, OptionsAreKept) {
  const Handle o = c.options();
  c.ok(kAddSessionConfigEntry, o, "a.key", "some value");
  c.ok(kSetSessionExecutionMode, o, 1);
  c.ok(kSetSessionGraphOptimizationLevel, o, 99);
  EXPECT_NE(c.status(kSetSessionGraphOptimizationLevel, o, 17).code, kOk);
  const Handle copy = c.get<Handle>(kCloneSessionOptions, o);
  c.release(kReleaseSessionOptions, o);
  EXPECT_EQ(c.get<int>(kHasSessionConfigEntry, copy, "a.key"), 1);
  EXPECT_EQ(c.get<int>(kHasSessionConfigEntry, copy, "b.key"), 0);
  size_t size = 0;
  c.ok(kGetSessionConfigEntry, copy, "a.key", static_cast<char*>(nullptr), &size);
  EXPECT_EQ(size, 11U);
  char value[11];
  c.ok(kGetSessionConfigEntry, copy, "a.key", static_cast<char*>(value), &size);
  EXPECT_STREQ(value, "some value");
  size = 3;
  EXPECT_NE(c.status(kGetSessionConfigEntry, copy, "a.key", static_cast<char*>(value), &size).code, kOk);
  c.release(kReleaseSessionOptions, copy);
  const Handle r = c.get<Handle>(kCreateRunOptions);
  c.ok(kRunOptionsSetRunTag, r, "tag");
  EXPECT_STREQ(c.get<const char*>(kRunOptionsGetRunTag, r), "tag");
  c.ok(kRunOptionsSetRunLogSeverityLevel, r, 3);
  EXPECT_EQ(c.get<int>(kRunOptionsGetRunLogSeverityLevel, r), 3);
  c.ok(kAddRunConfigEntry, r, "k", "v");
  EXPECT_STREQ(c.library.call<const char*>(kGetRunConfigEntry, r, "k"), "v");
  c.release(kReleaseRunOptions, r);
}

TEST_P(Calls, KeysAndValues) {
  const auto& l = c.library;
  Handle pairs = nullptr;
  l.call<void>(kCreateKeyValuePairs, &pairs);
  l.call<void>(kAddKeyValuePair, pairs, "a", "1");
  l.call<void>(kAddKeyValuePair, pairs, "b", "2");
  l.call<void>(kAddKeyValuePair, pairs, "a", "3");
  l.call<void>(kRemoveKeyValuePair, pairs, "b");
  EXPECT_STREQ(l.call<const char*>(kGetKeyValue, pairs, "a"), "3");
  EXPECT_EQ(l.call<const char*>(kGetKeyValue, pairs, "b"), nullptr);
  const char *const *keys = nullptr, *const *values = nullptr;
  size_t n = 0;
  l.call<void>(kGetKeyValuePairs, pairs, &keys, &values, &n);
  ASSERT_EQ(n, 1U);
  EXPECT_STREQ(keys[0], "a");
  EXPECT_STREQ(values[0], "3");
  c.release(kReleaseKeyValuePairs, pairs);
}

TEST_P(Calls, Memory) {
  EXPECT_STREQ(c.get<const char*>(kMemoryInfoGetName, c.memory), "Cpu");
  const Handle other = c.get<Handle>(kCreateMemoryInfo, "Cpu", 1, 0, 0);
  EXPECT_EQ(c.get<int>(kCompareMemoryInfo, c.memory, c.memory), 0);
  EXPECT_NE(c.get<int>(kCompareMemoryInfo, c.memory, other), 0);
  EXPECT_EQ(c.get<int>(kMemoryInfoGetType, other), 1);
  c.release(kReleaseMemoryInfo, other);
  Handle none = nullptr;
  EXPECT_EQ(c.status(kCreateMemoryInfo, "Nowhere", 1, 0, 0, &none).code, kInvalidArgument);
  void* p = c.get<void*>(kAllocatorAlloc, c.allocator, size_t{1000});
  ASSERT_NE(p, nullptr);
  std::fill_n(static_cast<char*>(p), 1000, 'x');
  c.ok(kAllocatorFree, c.allocator, p);
  const Handle s = c.session(models::sum()), own = c.get<Handle>(kCreateAllocator, s, c.memory);
  p = c.get<void*>(kAllocatorAlloc, own, size_t{10});
  c.ok(kAllocatorFree, own, p);
  c.library.call<void>(kReleaseAllocator, own);
  c.release(kReleaseSession, s);
}

TEST_P(Calls, ProvidersAndDevices) {
  char** names = nullptr;
  int n = 0;
  c.ok(kGetAvailableProviders, &names, &n);
  ASSERT_GE(n, 1);
  EXPECT_STREQ(names[n - 1], "CPUExecutionProvider");
  c.ok(kReleaseAvailableProviders, names, n);
  const Handle* devices = nullptr;
  size_t count = 0;
  c.ok(kGetEpDevices, c.env, &devices, &count);
  ASSERT_GE(count, 1U);
  EXPECT_STREQ(c.library.call<const char*>(kEpDevice_EpName, devices[0]), "CPUExecutionProvider");
  EXPECT_EQ(c.library.call<int>(kHardwareDevice_Type, c.library.call<Handle>(kEpDevice_Device, devices[0])), 0);
  const Handle o = c.options();
  EXPECT_NE(c.status(kSessionOptionsAppendExecutionProvider, o, "NoSuchProvider",
                     static_cast<const char* const*>(nullptr), static_cast<const char* const*>(nullptr), size_t{0})
                .code,
            kOk);
  c.release(kReleaseSessionOptions, o);
}

TEST_P(Calls, ElementTypesHaveTheSameCodes) {
  // Five elements of f8e8m0, of u2, of i2; older releases do not know them.
  for (const auto& [code, bytes] : {std::pair{24, 5}, {25, 2}, {26, 2}}) {
    std::vector<uint8_t> memory(5);
    const int64_t n = 5;
    Handle v = nullptr;
    if (c.status(kCreateTensorWithDataAsOrtValue, c.memory, static_cast<void*>(memory.data()), memory.size(), &n,
                 size_t{1}, code, &v)
            .code != kOk)
      continue;
    EXPECT_EQ(c.get<size_t>(kGetTensorSizeInBytes, v), static_cast<size_t>(bytes)) << code;
    c.release(kReleaseValue, v);
  }
}

INSTANTIATE_TEST_SUITE_P(, Calls, testing::ValuesIn(libraries()), library_name);

// What only ours has.
// ONNX Runtime has one environment for a process, so that only ours can be asked here.
TEST(DropIn, ThreadsOfTheEnvironment) {
  const Client c(kOurs);
  const Handle threading = c.get<Handle>(kCreateThreadingOptions);
  c.ok(kSetGlobalIntraOpNumThreads, threading, 2);
  Handle env = nullptr;
  c.ok(kCreateEnvWithGlobalThreadPools, 4, "pools", threading, &env);
  c.release(kReleaseThreadingOptions, threading);
  const std::string model = models::sum();
  std::vector<Handle> sessions;
  for (int i = 0; i < 2; ++i) {
    const Handle o = c.options();
    c.ok(kDisablePerSessionThreads, o);
    Handle s = nullptr;
    c.ok(kCreateSessionFromArray, env, static_cast<const void*>(model.data()), model.size(), o, &s);
    c.release(kReleaseSessionOptions, o);
    sessions.push_back(s);
  }
  std::vector<std::thread> callers;
  for (int k = 0; k < 8; ++k)
    callers.emplace_back([&, k] {
      std::vector<float> x = {static_cast<float>(k), 2, 3};
      const Handle v = c.floats(x, {1, 3});
      for (int i = 0; i < 20; ++i) {
        auto y = c.run(sessions[static_cast<size_t>(i % 2)], {{"x", v}}, {"y"});
        EXPECT_EQ(c.elements<float>(y[0]), (std::vector<float>{10 + x[0], 22, 33}));
        c.release(kReleaseValue, y[0]);
      }
      c.release(kReleaseValue, v);
    });
  for (auto& t : callers) t.join();
  for (const Handle s : sessions) c.release(kReleaseSession, s);
  c.release(kReleaseEnv, env);
}

TEST(DropIn, ErrorsGoToTheProgramsLogger) {
  const Client c(kOurs);
  std::string seen;
  const auto logger = +[](void* param, int severity, const char*, const char* id, const char*, const char* message) {
    *static_cast<std::string*>(param) += std::to_string(severity) + id + message;
  };
  const Handle o = c.options();
  c.ok(kSetUserLoggingFunction, o, logger, static_cast<void*>(&seen));
  c.ok(kSetSessionLogSeverityLevel, o, 3);
  c.ok(kSetSessionLogId, o, "mine");
  const Handle s = c.session(models::sum(), o);
  EXPECT_EQ(seen, "");
  std::vector<Handle> y(1);
  const Failure f = c.try_run(s, nullptr, {}, {"y"}, y);
  EXPECT_NE(seen.find("3mine"), std::string::npos);
  EXPECT_NE(seen.find(f.message), std::string::npos) << seen;
  c.release(kReleaseSession, s);
}

TEST(DropIn, CustomOperatorsAreRefusedByName) {
  const Client c(kOurs);
  struct Op {
    uint32_t version;
    void* create;
    const char* (*name)(const Op*);
  };
  const Op op{23, nullptr, [](const Op*) { return "Frobnicate"; }};
  const Handle domain = c.get<Handle>(kCreateCustomOpDomain, "my.domain"), o = c.options();
  c.ok(kCustomOpDomain_Add, domain, &op);
  c.ok(kAddCustomOpDomain, o, domain);
  const std::string model = models::custom_op();
  Handle s = nullptr;
  const Failure f =
      c.status(kCreateSessionFromArray, c.env, static_cast<const void*>(model.data()), model.size(), o, &s);
  EXPECT_EQ(f.code, kNotImplemented);
  EXPECT_NE(f.message.find("my.domain.Frobnicate"), std::string::npos) << f.message;
  c.release(kReleaseCustomOpDomain, domain);
  c.release(kReleaseSessionOptions, o);
}

TEST(DropIn, LoadingEndsWhenItIsTold) {
  const Client c(kOurs);
  const Handle o = c.options();
  c.ok(kSessionOptionsSetLoadCancellationFlag, o, true);
  const std::string model = models::sum();
  Handle s = nullptr;
  EXPECT_EQ(c.status(kCreateSessionFromArray, c.env, static_cast<const void*>(model.data()), model.size(), o, &s).code,
            12);
  c.release(kReleaseSessionOptions, o);
}

// An output is the caller's to write to, even where the program hands a weight or an input on.
TEST(DropIn, OutputsAreTheCallers) {
  const Client c(kOurs);
  const Handle s = c.session(models::hands_on());
  const int64_t n = 3;
  const Handle x = [&] {
    Handle v = nullptr;
    c.ok(kCreateTensorAsOrtValue, c.allocator, &n, size_t{1}, int{kFloat}, &v);
    return v;
  }();
  for (int round = 0; round < 2; ++round) {
    auto y = c.run(s, {{"x", x}}, {"input", "weight"});
    EXPECT_EQ(c.elements<float>(y[0]), (std::vector<float>{0, 0, 0}));
    EXPECT_EQ(c.elements<float>(y[1]), (std::vector<float>{10, 20, 30}));
    for (const Handle h : y) {
      std::fill_n(c.get<float*>(kGetTensorMutableData, h), 3, -1.f);
      c.release(kReleaseValue, h);
    }
  }
  c.release(kReleaseValue, x);
  c.release(kReleaseSession, s);
}

}  // namespace
}  // namespace tc::client
