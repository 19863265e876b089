// Sessions and runs, as programs that use the C API make them.
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>

#include "fixture.h"

namespace tc::client {
namespace {

TEST_P(Calls, ASessionRuns) {
  const Handle s = c.session(models::sum());
  EXPECT_EQ(c.get<size_t>(kSessionGetInputCount, s), 1U);
  EXPECT_EQ(c.get<size_t>(kSessionGetOutputCount, s), 2U);
  EXPECT_EQ(c.text(c.get<char*>(kSessionGetInputName, s, size_t{0}, c.allocator)), "x");
  EXPECT_EQ(c.text(c.get<char*>(kSessionGetOutputName, s, size_t{1}, c.allocator)), "twice");
  std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const Handle v = c.floats(x, {2, 3});
  auto y = c.run(s, {{"x", v}}, {"twice", "y"});
  EXPECT_EQ(c.dims(y[0]), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(c.elements<float>(y[0]), (std::vector<float>{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(c.elements<float>(y[1]), (std::vector<float>{11, 22, 33, 14, 25, 36}));
  EXPECT_EQ(c.get<int>(kIsTensor, y[0]), 1);
  EXPECT_EQ(c.get<int>(kHasValue, y[0]), 1);
  EXPECT_EQ(c.get<size_t>(kGetTensorSizeInBytes, y[0]), 24U);
  const std::vector<int64_t> at = {1, 2};
  EXPECT_EQ(*c.get<float*>(kTensorAt, y[1], at.data(), at.size()), 36);
  for (const Handle h : {v, y[0], y[1]}) c.release(kReleaseValue, h);
  c.release(kReleaseSession, s);
}

TEST_P(Calls, FilesAndTheirErrors) {
  const std::string path = testing::TempDir() + "tc_dropin.onnx";
  std::ofstream(path, std::ios::binary) << models::sum();
  const Handle o = c.options();
  Handle s = nullptr;
  c.ok(kCreateSession, c.env, path.c_str(), o, &s);
  EXPECT_EQ(c.get<size_t>(kSessionGetInputCount, s), 1U);
  c.release(kReleaseSession, s);
  s = nullptr;
  EXPECT_EQ(c.status(kCreateSession, c.env, "/nowhere/at/all.onnx", o, &s).code, kNoSuchFile);
  const std::string rubbish = "this is no model at all";
  EXPECT_EQ(c.status(kCreateSessionFromArray, c.env, rubbish.data(), rubbish.size(), o, &s).code, kInvalidProtobuf);
  EXPECT_EQ(s, nullptr);
  c.release(kReleaseSessionOptions, o);
  std::filesystem::remove(path);
}

TEST_P(Calls, TypesOfInputsAndOutputs) {
  const Handle s = c.session(models::sum());
  for (const Slot slot : {kSessionGetInputTypeInfo, kSessionGetOutputTypeInfo}) {
    const Handle type = c.get<Handle>(slot, s, size_t{0});
    EXPECT_EQ(c.get<int>(kGetOnnxTypeFromTypeInfo, type), 1);
    const Handle info = c.get<Handle>(kCastTypeInfoToTensorInfo, type);
    EXPECT_EQ(c.get<Handle>(kCastTypeInfoToSequenceTypeInfo, type), nullptr);
    EXPECT_EQ(c.get<int>(kGetTensorElementType, info), kFloat);
    ASSERT_EQ(c.get<size_t>(kGetDimensionsCount, info), 2U);
    int64_t dims[2];
    const char* names[2];
    c.ok(kGetDimensions, info, dims, size_t{2});
    c.ok(kGetSymbolicDimensions, info, names, size_t{2});
    EXPECT_EQ(dims[0], -1);
    EXPECT_EQ(dims[1], 3);
    EXPECT_STREQ(names[0], "n");
    EXPECT_STREQ(names[1], "");
    c.release(kReleaseTypeInfo, type);
  }
  Handle type = nullptr;
  EXPECT_NE(c.status(kSessionGetInputTypeInfo, s, size_t{7}, &type).code, kOk);
  c.release(kReleaseSession, s);
}

TEST_P(Calls, WrongRunsAreToldAndLeaveTheSessionWhole) {
  const Handle s = c.session(models::sum());
  std::vector<float> x = {1, 2, 3}, wide = {1, 2, 3, 4};
  std::vector<int64_t> integers = {1, 2, 3};
  const Handle good = c.floats(x, {1, 3}), shape = c.floats(wide, {1, 4}), type = c.tensor(integers, {1, 3}, kInt64);
  std::vector<Handle> y(1);
  EXPECT_EQ(c.try_run(s, nullptr, {{"z", good}}, {"y"}, y).code, kInvalidArgument);
  EXPECT_EQ(c.try_run(s, nullptr, {{"x", good}}, {"z"}, y).code, kInvalidArgument);
  EXPECT_NE(c.try_run(s, nullptr, {}, {"y"}, y).code, kOk);
  EXPECT_EQ(c.try_run(s, nullptr, {{"x", shape}}, {"y"}, y).code, kInvalidArgument);
  EXPECT_EQ(c.try_run(s, nullptr, {{"x", type}}, {"y"}, y).code, kInvalidArgument);
  EXPECT_EQ(y[0], nullptr);
  y = c.run(s, {{"x", good}}, {"y"});
  EXPECT_EQ(c.elements<float>(y[0]), (std::vector<float>{11, 22, 33}));
  for (const Handle h : {good, shape, type, y[0]}) c.release(kReleaseValue, h);
  c.release(kReleaseSession, s);
}

TEST_P(Calls, OutputsInTheCallersMemory) {
  const Handle s = c.session(models::sum());
  std::vector<float> x = {1, 2, 3}, out(3), small(2);
  const Handle v = c.floats(x, {1, 3}), into = c.floats(out, {1, 3}), wrong = c.floats(small, {1, 2});
  std::vector<Handle> y = {into};
  EXPECT_EQ(c.try_run(s, nullptr, {{"x", v}}, {"y"}, y).code, kOk);
  EXPECT_EQ(y[0], into);
  EXPECT_EQ(out, (std::vector<float>{11, 22, 33}));
  y = {wrong};
  EXPECT_NE(c.try_run(s, nullptr, {{"x", v}}, {"y"}, y).code, kOk);
  EXPECT_EQ(small, (std::vector<float>{0, 0}));
  Handle none = nullptr;
  const int64_t dims[] = {2, 3};
  EXPECT_NE(c.status(kCreateTensorWithDataAsOrtValue, c.memory, static_cast<void*>(x.data()), size_t{12}, dims,
                     size_t{2}, int{kFloat}, &none)
                .code,
            kOk);
  for (const Handle h : {v, into, wrong}) c.release(kReleaseValue, h);
  c.release(kReleaseSession, s);
}

TEST_P(Calls, Strings) {
  const Handle s = c.session(models::same_strings());
  const Handle v = c.strings({"one", "", "three"});
  c.ok(kFillStringTensorElement, v, "two", size_t{1});
  auto y = c.run(s, {{"x", v}}, {"y"});
  ASSERT_EQ(c.get<size_t>(kGetStringTensorDataLength, y[0]), 11U);
  std::string all(11, ' ');
  std::vector<size_t> offsets(3);
  c.ok(kGetStringTensorContent, y[0], static_cast<void*>(all.data()), all.size(), offsets.data(), offsets.size());
  EXPECT_EQ(all, "onetwothree");
  EXPECT_EQ(offsets, (std::vector<size_t>{0, 3, 6}));
  EXPECT_EQ(c.get<size_t>(kGetStringTensorElementLength, y[0], size_t{2}), 5U);
  EXPECT_NE(
      c.status(kGetStringTensorContent, y[0], static_cast<void*>(all.data()), size_t{4}, offsets.data(), size_t{3})
          .code,
      kOk);
  size_t length = 0;
  EXPECT_NE(c.status(kGetStringTensorElementLength, y[0], size_t{3}, &length).code, kOk);
  for (const Handle h : {v, y[0]}) c.release(kReleaseValue, h);
  c.release(kReleaseSession, s);
}

TEST_P(Calls, Sequences) {
  const Handle s = c.session(models::sequence());
  std::vector<float> a = {1, 2}, b = {3, 4, 5};
  std::vector<Handle> parts = {c.floats(a, {2}), c.floats(b, {3})};
  const Handle list = c.get<Handle>(kCreateValue, parts.data(), parts.size(), 2);
  EXPECT_EQ(c.get<int>(kGetValueType, list), 2);
  EXPECT_EQ(c.get<size_t>(kGetValueCount, list), 2U);
  auto y = c.run(s, {{"x", list}}, {"all", "n", "same"});
  EXPECT_EQ(c.elements<float>(y[0]), (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_EQ(c.elements<int64_t>(y[1]), (std::vector<int64_t>{2}));
  const Handle second = c.get<Handle>(kGetValue, y[2], 1, c.allocator);
  EXPECT_EQ(c.elements<float>(second), b);
  const Handle type = c.get<Handle>(kSessionGetInputTypeInfo, s, size_t{0});
  EXPECT_EQ(c.get<int>(kGetOnnxTypeFromTypeInfo, type), 2);
  const Handle element = c.get<Handle>(kGetSequenceElementType, c.get<Handle>(kCastTypeInfoToSequenceTypeInfo, type));
  EXPECT_EQ(c.get<int>(kGetOnnxTypeFromTypeInfo, element), 1);
  for (const Handle h : {type, element}) c.release(kReleaseTypeInfo, h);
  for (const Handle h : {parts[0], parts[1], list, y[0], y[1], y[2], second}) c.release(kReleaseValue, h);
  c.release(kReleaseSession, s);
}

TEST_P(Calls, Maps) {
  std::vector<int64_t> keys = {3, 1};
  std::vector<float> values = {30, 10};
  std::vector<Handle> parts = {c.tensor(keys, {2}, kInt64), c.floats(values, {2})};
  const Handle map = c.get<Handle>(kCreateValue, parts.data(), parts.size(), 3);
  EXPECT_EQ(c.get<int>(kGetValueType, map), 3);
  EXPECT_EQ(c.get<size_t>(kGetValueCount, map), 2U);
  const Handle k = c.get<Handle>(kGetValue, map, 0, c.allocator), v = c.get<Handle>(kGetValue, map, 1, c.allocator);
  const auto got_keys = c.elements<int64_t>(k);
  const auto got = c.elements<float>(v);
  ASSERT_EQ(got_keys.size(), 2U);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(got[i], 10 * static_cast<float>(got_keys[i]));
  for (const Handle h : {parts[0], parts[1], map, k, v}) c.release(kReleaseValue, h);
}

TEST_P(Calls, ElementsOfFourBits) {
  const Handle s = c.session(models::four_bits());
  std::vector<uint8_t> packed = {0x21, 0xf3, 0x05};
  const Handle v = c.tensor(packed, {5}, kUint4);
  auto y = c.run(s, {{"x", v}}, {"y", "same"});
  EXPECT_EQ(c.elements<float>(y[0]), (std::vector<float>{1, 2, 3, 15, 5}));
  const auto* bytes = c.get<uint8_t*>(kGetTensorMutableData, y[1]);
  EXPECT_EQ(std::vector<uint8_t>(bytes, bytes + 3), packed);
  EXPECT_EQ(c.dims(y[1]), (std::vector<int64_t>{5}));
  for (const Handle h : {v, y[0], y[1]}) c.release(kReleaseValue, h);
  c.release(kReleaseSession, s);
}

TEST_P(Calls, Bindings) {
  const Handle s = c.session(models::sum()), b = c.get<Handle>(kCreateIoBinding, s);
  std::vector<float> x = {1, 2, 3}, out(3);
  const Handle v = c.floats(x, {1, 3}), into = c.floats(out, {1, 3});
  c.ok(kBindInput, b, "x", v);
  c.ok(kBindOutput, b, "y", into);
  c.ok(kBindOutputToDevice, b, "twice", c.memory);
  EXPECT_NE(c.status(kBindInput, b, "nothing", v).code, kOk);
  for (const float first : {1.f, 5.f}) {
    x[0] = first;
    c.ok(kRunWithBinding, s, Handle{}, b);
    EXPECT_EQ(out, (std::vector<float>{10 + first, 22, 33}));
    Handle* values = nullptr;
    size_t n = 0;
    c.ok(kGetBoundOutputValues, b, c.allocator, &values, &n);
    ASSERT_EQ(n, 2U);
    EXPECT_EQ(c.elements<float>(values[1]), (std::vector<float>{2 * first, 4, 6}));
    for (size_t i = 0; i < n; ++i) c.release(kReleaseValue, values[i]);
    c.ok(kAllocatorFree, c.allocator, static_cast<void*>(values));
  }
  char* names = nullptr;
  size_t *lengths = nullptr, n = 0;
  c.ok(kGetBoundOutputNames, b, c.allocator, &names, &lengths, &n);
  ASSERT_EQ(n, 2U);
  EXPECT_EQ(std::string(names, lengths[0] + lengths[1]), "ytwice");
  c.ok(kAllocatorFree, c.allocator, static_cast<void*>(names));
  c.ok(kAllocatorFree, c.allocator, static_cast<void*>(lengths));
  c.library.call<void>(kClearBoundInputs, b);
  EXPECT_NE(c.status(kRunWithBinding, s, Handle{}, b).code, kOk);
  for (const Handle h : {v, into}) c.release(kReleaseValue, h);
  c.release(kReleaseIoBinding, b);
  c.release(kReleaseSession, s);
}

struct Waiting {
  std::mutex mutex;
  std::condition_variable done;
  int calls = 0;
  size_t outputs = 0;
  Handle status = nullptr;
  void wait_for(int n) {
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return calls >= n; });
  }
  static void callback(void* self, Handle*, size_t n, Handle status) {
    auto& w = *static_cast<Waiting*>(self);
    const std::lock_guard lock(w.mutex);
    ++w.calls;
    w.outputs = n;
    w.status = status;
    w.done.notify_all();
  }
};

TEST_P(Calls, RunsThatGoOnByThemselves) {
  const Handle o = c.options();
  c.ok(kSetIntraOpNumThreads, o, 2);
  const Handle s = c.session(models::sum(), o);
  std::vector<float> x = {1, 2, 3};
  const Handle v = c.floats(x, {1, 3});
  const char *in[] = {"x"}, *names[] = {"y"}, *wrong[] = {"nothing"};
  const Handle values[] = {v};
  Handle out[] = {nullptr};
  Waiting w;
  const auto start = [&](const char* const* outputs) {
    return c.status(kRunAsync, s, Handle{}, static_cast<const char* const*>(in), static_cast<const Handle*>(values),
                    size_t{1}, outputs, size_t{1}, static_cast<Handle*>(out), &Waiting::callback,
                    static_cast<void*>(&w));
  };
  EXPECT_EQ(start(names).code, kOk);
  w.wait_for(1);
  EXPECT_EQ(w.outputs, 1U);
  EXPECT_EQ(w.status, nullptr);
  EXPECT_EQ(c.elements<float>(out[0]), (std::vector<float>{11, 22, 33}));
  c.release(kReleaseValue, out[0]);
  out[0] = nullptr;
  if (start(wrong).code == kOk) {
    w.wait_for(2);
    EXPECT_NE(w.status, nullptr);
    c.release(kReleaseStatus, w.status);
  }
  c.release(kReleaseValue, v);
  c.release(kReleaseSession, s);
}

TEST_P(Calls, RunsEndWhenTheyAreTold) {
  const Handle s = c.session(models::long_loop());
  std::vector<float> x = {1};
  std::vector<int64_t> n = {int64_t{1} << 40};
  const Handle v = c.floats(x, {1}), count = c.tensor(n, {}, kInt64);
  const Handle o = c.get<Handle>(kCreateRunOptions);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    c.ok(kRunOptionsSetTerminate, o);
  });
  std::vector<Handle> y(1);
  EXPECT_NE(c.try_run(s, o, {{"x", v}, {"n", count}}, {"y"}, y).code, kOk);
  other.join();
  c.ok(kRunOptionsUnsetTerminate, o);
  n[0] = 3;
  EXPECT_EQ(c.try_run(s, o, {{"x", v}, {"n", count}}, {"y"}, y).code, kOk);
  EXPECT_EQ(c.elements<float>(y[0]), (std::vector<float>{8}));
  c.release(kReleaseRunOptions, o);
  for (const Handle h : {v, count, y[0]}) c.release(kReleaseValue, h);
  c.release(kReleaseSession, s);
}

INSTANTIATE_TEST_SUITE_P(, Calls, testing::ValuesIn(libraries()), library_name);

}  // namespace
}  // namespace tc::client
