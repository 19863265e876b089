// What scans keep for their gradients.
#include <gtest/gtest.h>

#include <cmath>

#include "tc/ir/eval/interp.h"
#include "tc/ir/ops/control.h"
#include "tc/ir/verify.h"
#include "tc/tc.h"

namespace tc {
namespace {

using Datums = std::vector<Datum>;

Tensor numbers(const Extents& extents, float phase) {
  Tensor t(DType::f32, extents);
  float i = phase;
  for (float& v : t.mutable_span<float>()) v = std::sin(i += 0.7f) / 2;
  return t;
}

constexpr int64_t kWidth = 3;

struct Form {
  ScanOptions options;
  bool symbolic = false;  // the number of slices
};

// A recurrence with weights, a captured input, an array from outside and a check in its body; two results per slice,
// one of another rank, and a state that is a number at first.
Function recurrence(int64_t trips, const Form& form) {
  const Param w("w", numbers({kWidth, kWidth}, 1));
  const Extent steps = form.symbolic ? Extent("T") : Extent(trips);
  const bool last = form.options.axis != 0;
  const Input xs = last ? Input{"xs", f32, {kWidth, steps}} : Input{"xs", f32, {steps, kWidth}};
  return trace("recurrence", {xs, {"h", f32, {kWidth}}, {"u", f32, {kWidth}}}, [&](Var x, Var h, Var u) {
    const Var half = asarray(Tensor::of<float>({1}, {0.5f}));
    const auto [end, count, ys, norms] = scan(
        [&](Var state, Var n, Var slice) {
          const Var next = tanh(matmul(state, w) + slice * u * half);
          check(n >= 0, "a count");
          return std::tuple{next, n + 1, next * exp(slice), expand_dims(sum(next * state), 0)};
        },
        {h, 0.0}, {x}, form.options);
    return std::pair{sum(end) * count + sum(ys * ys) + sum(norms * 3), ys};
  });
}

std::vector<Tensor> inputs_of(int64_t trips, const Form& form) {
  const Extents xs = form.options.axis ? Extents{kWidth, trips} : Extents{trips, kWidth};
  return {numbers(xs, 2), numbers({kWidth}, 3), numbers({kWidth}, 4)};
}

void expect_near(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(got[k].extents(), expected[k].extents()) << k;
    for (size_t i = 0; i < got[k].span<float>().size(); ++i)
      EXPECT_NEAR(got[k].span<float>()[i], expected[k].span<float>()[i], 2e-5f) << "output " << k << ", element " << i;
  }
}

const std::vector<std::string> kWrt = {"xs", "h", "u", "w"};

TEST(Checkpoint, ChangesNoGradient) {
  for (const int64_t trips : {1, 3, 4, 9, 12})
    for (const bool reverse : {false, true})
      for (const bool symbolic : {false, true})
        for (const int64_t axis : {0, -1}) {
          const Form plain{{.reverse = reverse, .axis = axis}, symbolic};
          const auto inputs = inputs_of(trips, plain);
          const auto expected = compile(value_and_grad(recurrence(trips, plain), kWrt))(inputs);
          for (const int64_t n : {1, 3, 4, 20}) {
            SCOPED_TRACE(testing::Message() << trips << " slices, reverse " << reverse << ", symbolic " << symbolic
                                            << ", axis " << axis << ", checkpoint " << n);
            Form form = plain;
            form.options.checkpoint = n;
            const Function f = value_and_grad(recurrence(trips, form), kWrt);
            verify(f.module());
            expect_near(compile(f)(inputs), expected);
          }
        }
}

TEST(Checkpoint, ChangesNoGradientAsWritten) {
  for (const int64_t n : {0, 1, 3}) {
    const Form form{{.checkpoint = n}};
    const auto inputs = inputs_of(7, form);
    const Function f = value_and_grad(recurrence(7, form), kWrt);
    std::vector<Tensor> interpreted;
    for (const Datum& d : interpret(f.module(), {inputs.begin(), inputs.end()})) interpreted.push_back(d.tensor());
    expect_near(interpreted, compile(value_and_grad(recurrence(7, {}), kWrt))(inputs));
  }
}

// The choice for all loops of a gradient.
TEST(Checkpoint, RecomputingChangesNoGradient) {
  for (const bool reverse : {false, true}) {
    const Function f = recurrence(9, {{.reverse = reverse}, true});
    const auto inputs = inputs_of(9, {});
    expect_near(compile(value_and_grad(f, kWrt, {.recompute = true}))(inputs),
                compile(value_and_grad(f, kWrt))(inputs));
  }
}

TEST(Checkpoint, ServesForwardModeAndSecondOrder) {
  const auto bent = [&](const Form& form) {
    const Function slope = grad(recurrence(6, form), {"xs"});
    const Function norm =
        trace("norm", {{"xs", f32, {6, kWidth}}, {"h", f32, {kWidth}}, {"u", f32, {kWidth}}}, [&](Var x, Var h, Var u) {
          const Var g = slope({x, h, u})[0];
          return sum(g * g);
        });
    return grad(norm, {"xs", "h", "u"});
  };
  const auto inputs = inputs_of(6, {});
  auto moving = inputs;
  moving.push_back(numbers({6, kWidth}, 5));
  const auto expected = compile(bent({}))(inputs), tangents = compile(jvp(recurrence(6, {}), {"xs"}))(moving);
  for (const int64_t n : {1, 2, 4}) {
    SCOPED_TRACE(n);
    const Form form{{.checkpoint = n}};
    expect_near(compile(bent(form))(inputs), expected);
    expect_near(compile(jvp(recurrence(6, form), {"xs"}))(moving), tangents);
  }
}

// The least budget that a run stays within, to a sixteenth.
uint64_t memory_of(const Function& f, const std::vector<Tensor>& inputs) {
  const auto fits = [&](uint64_t bytes) {
    try {
      compile(f, {.threads = 1, .max_memory = bytes})(inputs);
      return true;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::limit_memory) << e.what();
      return false;
    }
  };
  uint64_t low = 1 << 10, high = 1 << 26;
  EXPECT_TRUE(fits(high));
  while (high - low > low / 16) {
    const uint64_t middle = (low + high) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

TEST(Checkpoint, SavesMemory) {
  constexpr int64_t kTrips = 1600, kUnits = 32;
  const auto deep = [&](int64_t checkpoint, bool recompute = false) {
    const Param w("w", numbers({kUnits, kUnits}, 1));
    return grad(trace("deep", {{"h", f32, {kUnits}}, {"t", f32, {kTrips}}},
                      [&](Var h, Var t) {
                        return sum(scan(
                            [&](Var state, Var s) {
                              for (int layer = 0; layer < 6; ++layer) state = tanh(matmul(state, w) + sin(state) * s);
                              return state;
                            },
                            {h}, {t}, {.checkpoint = checkpoint}));
                      }),
                {"w", "h"}, {.recompute = recompute});
  };
  const std::vector<Tensor> inputs = {numbers({kUnits}, 1), numbers({kTrips}, 2)};
  const uint64_t all = memory_of(deep(0), inputs), each = memory_of(deep(1), inputs),
                 some = memory_of(deep(10), inputs);
  RecordProperty("everything", std::to_string(all));
  RecordProperty("carried_of_each", std::to_string(each));
  RecordProperty("carried_of_some", std::to_string(some));
  EXPECT_LT(each * 4, all);
  EXPECT_LT(memory_of(deep(0, true), inputs) * 4, all);
  EXPECT_LT(some * 2, each);
  expect_near(compile(deep(10))(inputs), compile(deep(0))(inputs));
}

// Each scan has a choice of its own.
TEST(Checkpoint, IsOneScansChoice) {
  const Function f = trace("f", {{"x", f32, {40, 2}}}, [](Var x) {
    const auto body = [](Var s, Var v) { return sin(s * v) + v; };
    const Var kept = scan(body, {ones({2})}, {x});
    return sum(kept * scan(body, {ones({2})}, {x}, {.checkpoint = 1}));
  });
  // A scan hands what it keeps to its gradient as further results.
  std::vector<int> results;
  const Function gradient = grad(f);
  walk(gradient.module().main(), [&](Node& n) {
    if (n.is<Scan>()) results.push_back(n.num_results());
  });
  ASSERT_EQ(results.size(), 4u) << gradient.str();
  EXPECT_EQ(results[0], 3) << gradient.str();  // the end, each state and each product
  EXPECT_EQ(results[1], 2) << gradient.str();  // the end, each state
  const Tensor x = numbers({40, 2}, 1);
  const Function plain = trace("f", {{"x", f32, {40, 2}}}, [](Var v) {
    const auto body = [](Var s, Var u) { return sin(s * u) + u; };
    const Var y = scan(body, {ones({2})}, {v});
    return sum(y * y);
  });
  expect_near(compile(grad(f))({x}), compile(grad(plain))({x}));
}

TEST(Checkpoint, LeavesNothingInFiles) {
  for (const int64_t n : {1, 4}) {
    const Form form{{.checkpoint = n}, true};
    const auto inputs = inputs_of(11, form);
    const Function f = value_and_grad(recurrence(11, form), kWrt);
    const auto expected = compile(f)(inputs);
    for (const ExportFunctions functions : {ExportFunctions::inlined, ExportFunctions::local}) {
      const std::string file = export_onnx_bytes(f, {.functions = functions});
      expect_near(compile(load_onnx(file.data(), file.size(), nullptr))(inputs), expected);
    }
  }
}

TEST(Checkpoint, WorksWhereProgramsRunAtOnce) {
  const Eager eager;
  const Var x = asarray(numbers({9, 2}, 1));
  const auto total = [&](Var start, int64_t checkpoint) {
    return sum(scan([](Var s, Var v) { return sin(s * v) + v; }, {start}, {x}, {.checkpoint = checkpoint}));
  };
  const auto descended = [&](int64_t checkpoint) {
    return fori_loop(0, 3, [&](Var, Var v) { return v - grad(total(v, checkpoint), {v})[0]; }, {ones({2})}).tensor();
  };
  for (const int64_t n : {1, 4}) {
    expect_near({total(ones({2}), n).tensor()}, {total(ones({2}), 0).tensor()});
    expect_near({descended(n)}, {descended(0)});
  }
}

template <class F>
std::string what(F f) {
  try {
    f();
  } catch (const Error& e) {
    std::string text = e.what();
    for (const std::string& note : e.diagnostic().notes) text += " | " + note;
    return text;
  }
  return "no error";
}

TEST(Checkpoint, SaysWhatIsWrong) {
  const auto complaint = [](const auto& body, int64_t n) {
    return what([&] {
      trace("f", {{"x", f32, {6}}}, [&](Var x) { return scan(body, {zeros({})}, {x}, {.checkpoint = n}); });
    });
  };
  const auto noisy = [](Var s, Var v) { return dropout(s + v, true); };
  const std::string text = complaint(noisy, 2);
  EXPECT_NE(text.find("the body draws random numbers (dropout, checkpoint_test.cc:"), text.npos) << text;
  EXPECT_NE(text.find("draw them before the scan"), text.npos) << text;
  EXPECT_EQ(complaint(noisy, 0), "no error");
  EXPECT_NE(complaint([](Var s, Var v) { return s + v; }, -1).find("a checkpoint before every -1-th"), text.npos);
}

}  // namespace
}  // namespace tc
