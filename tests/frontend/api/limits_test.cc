// Programs that want more than they get: memory in every form that a value has, steps, time. All of them end with an
// error that says which limit it was, in both engines, and leave what ran them usable.
#include <gtest/gtest.h>

#include "tc/backend/cpu/run/executable.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/tensor_budget.h"
#include "tc/ir/text/parse.h"
#include "tc/tc.h"

namespace tc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kBudget = 1 << 20;
constexpr uint64_t kLittle = 200 << 10;  // sequences are copied at each insertion

struct Hostile {
  const char* what;
  const char* text;
  std::vector<Datum> small;  // inputs that fit
  std::vector<Datum> large;
};

// A loop of n steps; its carried value, and what each step makes of it.
std::vector<Hostile> greedy() {
  const Datum few = Tensor::scalar<int64_t>(3), many = Tensor::scalar<int64_t>(1000000000);
  const Datum text = Tensor::of<std::string>({}, {"tic"}), x = Tensor::of<float>({64}, std::vector<float>(64, 1));
  return {
      {"a string that doubles",
       R"(graph @main(%n: i64[], %x: str[]) {
  %0 = loop %n, _, %x (@body (%i: i64[], %go: bool[], %acc: str[]) {
    %1 = string_concat %acc, %acc : str[]
    return %go, %1
  }) : str[]
  return %0 : "y"
})",
       {few, text},
       {many, text}},
      {"a sequence that grows by one tensor again and again",
       R"(graph @main(%n: i64[], %x: f32[64]) {
  %0 = sequence_construct %x : seq<f32[64]>
  %1 = loop %n, _, %0 (@body (%i: i64[], %go: bool[], %acc: seq<f32[64]>) {
    %2 = sequence_insert %acc, %x, _ : seq<f32[64]>
    return %go, %2
  }) : seq<f32[64]>
  return %1 : "y"
})",
       {few, x},
       {many, x}},
      {"a sequence of fresh tensors",
       R"(graph @main(%n: i64[], %x: f32[64]) {
  %0 = sequence_construct %x : seq<f32[64]>
  %1 = loop %n, _, %0 (@body (%i: i64[], %go: bool[], %acc: seq<f32[64]>) {
    %2 = cast %i {to = f32} : f32[]
    %3 = add %x, %2 : f32[64]
    %4 = sequence_insert %acc, %3, _ : seq<f32[64]>
    return %go, %4
  }) : seq<f32[64]>
  return %1 : "y"
})",
       {few, x},
       {many, x}},
      {"what the steps of a loop give",
       R"(graph @main(%n: i64[]) {
  %0 = loop %n, _ (@body (%i: i64[], %go: bool[]) {
    %1 = mul %i, %i : i64[]
    return %go, %1
  }) : i64[?0]
  return %0 : "y"
})",
       {few},
       {many}},
      {"a tensor that doubles",
       R"(graph @main(%n: i64[], %x: f32[N]) {
  %0 = loop %n, _, %x (@body (%i: i64[], %go: bool[], %acc: f32[?1]) {
    %1 = concat %acc, %acc {axis = 0} : f32[2*?1]
    return %go, %1
  }) : f32[?2]
  return %0 : "y"
})",
       {few, x},
       {many, x}},
  };
}

InterpOptions bytes(uint64_t most) {
  InterpOptions options;
  options.max_bytes = most;
  return options;
}

std::string error_of(ErrorCode code, const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(Limits, MemoryCountsWhateverValuesAreMadeOf) {
  for (const Hostile& h : greedy()) {
    SCOPED_TRACE(h.what);
    const Function f = parse(h.text);
    for (const int level : {0, 2}) {
      const Compiled c = compile(f, {.level = level, .threads = 1, .max_memory = kLittle});
      for (int round = 0; round < 2; ++round) {
        EXPECT_NE(error_of(ErrorCode::limit_memory, [&] { c.run(h.large); }), "");
        EXPECT_EQ(c.run(h.small).size(), 1U);
      }
    }
    EXPECT_NE(error_of(ErrorCode::limit_memory, [&] { interpret(f.module(), h.large, bytes(kLittle)); }), "");
    EXPECT_EQ(interpret(f.module(), h.small, bytes(kLittle)).size(), 1U);
  }
}

TEST(Limits, MemoryCountsWhatReferenceBodiesTakeBesideTheirResults) {
  const Function f = parse("graph @main(%x: f32[N]) {\n  %0 = softmax %x : f32[N]\n  return %0 : \"y\"\n}\n");
  const Tensor x(f32, {1 << 17});  // half a budget; its elements as f64 are a whole one
  EXPECT_NE(error_of(ErrorCode::limit_memory, [&] { interpret(f.module(), {x}, bytes(kBudget)); }), "");
  EXPECT_EQ(interpret(f.module(), {x}, bytes(4 * kBudget)).size(), 1U);
}

// Results belong to the caller once a run is over: they do not count in later ones.
TEST(Limits, OutputsThatAreKeptDoNotCount) {
  const Compiled f = compile(trace("f", {{"x", f32, {"n"}}}, [](Var x) { return exp(x); }), {.max_memory = kBudget});
  const Tensor x(f32, {1 << 17});
  std::vector<std::vector<Datum>> kept;
  for (int i = 0; i < 8; ++i) kept.push_back(f.run({x}));
  EXPECT_EQ(kept.size(), 8U);
}

TEST(Limits, MemoryHasADefault) {
  EXPECT_GT(default_memory_budget(), uint64_t{64} << 20);
  EXPECT_LT(default_memory_budget(), uint64_t{1} << 47);
  const Function f = parse(R"(graph @main(%shape: i64[1]) {
  %0 = constant_of_shape %shape : f32[?0]
  return %0 : "y"
})");
  const auto elements = static_cast<int64_t>(default_memory_budget() / sizeof(float)) + 1;
  const Datum shape = Tensor::of<int64_t>({1}, {elements});
  EXPECT_NE(error_of(ErrorCode::limit_memory, [&] { compile(f).run({shape}); }), "");
  EXPECT_NE(error_of(ErrorCode::limit_memory, [&] { interpret(f.module(), {shape}); }), "");
}

constexpr const char* kIdle = R"(graph @main(%n: i64[], %x: f32[]) {
  %0 = loop %n, _, %x (@body (%i: i64[], %go: bool[], %acc: f32[]) {
    %1 = sin %acc : f32[]
    return %go, %1
  }) : f32[]
  return %0 : "y"
})";

TEST(Limits, CheapStepsEnd) {
  const Function f = parse(kIdle);
  const std::vector<Datum> inputs = {Tensor::scalar<int64_t>(1000000000), Tensor::scalar(0.5f)};
  InterpOptions few;
  few.max_steps = 1000;
  EXPECT_NE(error_of(ErrorCode::limit_steps, [&] { compile(f, {.max_steps = 1000}).run(inputs); }), "");
  EXPECT_NE(error_of(ErrorCode::limit_steps, [&] { interpret(f.module(), inputs, few); }), "");
  const auto soon = [] { return Clock::now() + std::chrono::milliseconds(20); };
  EXPECT_NE(error_of(ErrorCode::limit_steps, [&] { compile(f).run(inputs, {.deadline = soon()}); }), "");
  const auto budget = std::make_shared<Budget>();
  budget->stop_at(nullptr, std::chrono::duration_cast<std::chrono::nanoseconds>(soon().time_since_epoch()).count());
  const Budget::Scope scope(budget);
  EXPECT_NE(error_of(ErrorCode::limit_steps, [&] { interpret(f.module(), inputs); }), "");
}

// The only step of a program: nothing but its kernel can notice that the deadline has passed.
TEST(Limits, TimeEndsLongSteps) {
  const Function f = trace("f", {{"x", f32, {"n", "n"}}}, [](Var x) { return matmul(x, x); });
  for (const int threads : {1, 2}) {
    const Compiled c = compile(f, {.threads = threads});
    const Tensor x(f32, {2500, 2500});
    const auto deadline = Clock::now() + std::chrono::milliseconds(1);
    const std::string text = error_of(ErrorCode::limit_steps, [&] { c.run({x}, {.deadline = deadline}); });
    EXPECT_NE(text.find("deadline"), std::string::npos) << text;
    const Tensor one = Tensor::of<float>({1, 1}, {3});
    const Tensor nine = c({one});
    EXPECT_EQ(nine.to_vector<float>(), std::vector<float>{9});
  }
}

TEST(Limits, CompilationEnds) {
  const Function f = parse(kIdle);
  EXPECT_NE(error_of(ErrorCode::limit_steps, [&] { compile(f, {.deadline = Clock::now()}); }), "");
  EXPECT_NO_THROW(compile(f, {.deadline = Clock::now() + std::chrono::hours(1)}));
}

}  // namespace
}  // namespace tc
