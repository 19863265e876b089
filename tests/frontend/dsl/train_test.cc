// Parameters, initial weights, gradients inside of traces, optimisers, schedules and train steps.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "tc/tc.h"

namespace tc {
namespace {

template <class F>
void expect_error(ErrorCode code, std::string_view words, F f) {
  try {
    static_cast<void>(f());
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(to_string(e.code()), to_string(code)) << e.what();
    EXPECT_NE(std::string_view(e.what()).find(words), std::string_view::npos) << e.what();
  }
}

std::vector<double> doubles(const Tensor& t) {
  const auto v = t.span<float>();
  return {v.begin(), v.end()};
}

TEST(Param, IsOneValueOfAProgram) {
  const Param w("w", Tensor::of<float>({2}, {3, 4}));
  const Function f = trace("f", {{"x", f32, {2}}}, [&](Var x) {
    return x * w + cond(
                       sum(x) > 0, [&] { return w * 2; }, [&] { return w + x; });
  });
  const NamedTensors all = parameters_of(f);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].first, "w");
  EXPECT_EQ(doubles(compile(f)({Tensor::of<float>({2}, {1, 1})})[0]), (std::vector<double>{9, 12}));
  const Function g = with_parameters(f, {{"w", Tensor::of<float>({2}, {1, 2})}});
  EXPECT_EQ(doubles(compile(g)({Tensor::of<float>({2}, {1, 1})})[0]), (std::vector<double>{3, 6}));
  const Function h = parameters_as_inputs(f);
  ASSERT_EQ(h.inputs().size(), 2u);
  EXPECT_EQ(h.inputs()[1].name, "w");
  EXPECT_EQ(doubles(compile(h)({Tensor::of<float>({2}, {1, 1}), Tensor::of<float>({2}, {1, 2})})[0]),
            (std::vector<double>{3, 6}));
  // A program within another shares its parameters.
  const Function twice = trace("twice", {{"x", f32, {2}}}, [&](Var x) { return f({f({x})[0]})[0] + w; });
  EXPECT_EQ(parameters_of(twice).size(), 1u);
  EXPECT_EQ(doubles(compile(twice)({Tensor::of<float>({2}, {1, 1})})[0]), (std::vector<double>{36, 60}));
}

TEST(Param, RefusesWhatIsWrong) {
  const Param w("w", Tensor::of<float>({2}, {3, 4})), other("w", Tensor::of<float>({2}, {3, 4}));
  expect_error(ErrorCode::bad_argument, "two parameters of the program are named 'w'",
               [&] { trace("f", {}, [&] { return w + other; }); });
  // Nor does it matter that they begin with one tensor.
  const Param same("w", w.value());
  expect_error(ErrorCode::bad_argument, "two parameters of the program are named 'w'",
               [&] { trace("f", {}, [&] { return w + same; }); });
  expect_error(ErrorCode::bad_argument, "two parameters of the program are named 'w'", [&] {
    const Function inner = trace("inner", {}, [&] { return w * 2; });
    trace("f", {}, [&] { return inner({})[0] + w + same; });
  });
  expect_error(ErrorCode::bad_argument, "a parameter is undefined",
               [&] { trace("f", {}, [&] { return relu(Param()); }); });
  expect_error(ErrorCode::bad_argument, "needs a name", [] { Param("", Tensor(f32, {1})); });
  expect_error(ErrorCode::bad_type, "f32[2], got f32[3]", [&] { w.assign(Tensor(f32, {3})); });
  expect_error(ErrorCode::bad_argument, "tc::trace", [&] { return w.var(); });
  const Function f = trace("f", {}, [&] { return w + 1; });
  expect_error(ErrorCode::bad_argument, "'v'", [&] { with_parameters(f, {{"v", Tensor(f32, {2})}}); });
  expect_error(ErrorCode::bad_type, "f64[2]", [&] { with_parameters(f, {{"w", Tensor(f64, {2})}}); });
  expect_error(ErrorCode::bad_argument, "named 'w'", [&] { assign_parameters({w}, {{"v", Tensor(f32, {2})}}); });
}

TEST(Init, HasTheMomentsThatItPromises) {
  Init init(5);
  const auto check = [](const Tensor& t, double deviation, double reach) {
    const auto v = doubles(t);
    const double n = static_cast<double>(v.size()), mean = std::accumulate(v.begin(), v.end(), 0.0) / n;
    double square = 0, most = 0;
    for (const double x : v) square += x * x, most = std::max(most, std::abs(x));
    EXPECT_NEAR(mean, 0, 5 * deviation / std::sqrt(n));
    EXPECT_NEAR(std::sqrt(square / n), deviation, 0.02 * deviation);
    EXPECT_LE(most, reach);
  };
  check(init.he_normal({200, 100}), std::sqrt(2.0 / 200), 1);
  check(init.he_uniform({40, 20, 5, 5}), std::sqrt(2.0 / 500), std::sqrt(6.0 / 500) * 1.000001);
  check(init.xavier_normal({200, 100}, {.gain = 2}), 2 * std::sqrt(2.0 / 300), 2);
  check(init.xavier_uniform({200, 100}), std::sqrt(2.0 / 300), std::sqrt(6.0 / 300) * 1.000001);
  check(init.lecun_normal({200, 100}), std::sqrt(1.0 / 200), 1);
  check(init.truncated_normal({30000}, 0, 1), 0.8796, 2);  // of a normal number cut off at two deviations
  expect_error(ErrorCode::bad_argument, "no fan-in", [&] { init.he_normal({3}); });
  expect_error(ErrorCode::bad_type, "i32", [&] { init.normal({3}, 0, 1, i32); });
}

TEST(Init, RepeatsItself) {
  Init a(5), b(5), c(6);
  const Tensor x = a.normal({9}, 0, 1), y = a.normal({9}, 0, 1);
  EXPECT_TRUE(b.uniform({2}, 0, 1).extents() == (tc::Extents{2}));
  EXPECT_TRUE(y.identical(b.normal({9}, 0, 1)));  // the second tensor's stream, whatever the first one was
  EXPECT_FALSE(x.identical(y));
  EXPECT_FALSE(x.identical(c.normal({9}, 0, 1)));
}

TEST(Grad, IsPartOfAProgram) {
  const Param w("w", Tensor::of<float>({2}, {3, 4}));
  const Function f = trace("f", {{"x", f32, {2}}}, [&](Var x) {
    const Var y = sum(w * x * x);
    return std::pair{y, grad(y, {x, w.var()})};
  });
  const auto r = compile(f)({Tensor::of<float>({2}, {1, 2})});
  EXPECT_EQ(doubles(r[1]), (std::vector<double>{6, 16}));
  EXPECT_EQ(doubles(r[2]), (std::vector<double>{1, 4}));
  // Of functions: parameters by default; second order.
  const Function loss = trace("loss", {{"x", f32, {2}}}, [&](Var x) { return sum(w * x * x * x); });
  const auto v = compile(value_and_grad(loss))({Tensor::of<float>({2}, {1, 2})});
  ASSERT_EQ(v.size(), 2u);
  EXPECT_EQ(doubles(v[1]), (std::vector<double>{1, 8}));
  const Function second =
      trace("second", {{"x", f32, {2}}}, [&](Var x) { return grad(sum(grad(loss({x})[0], {x})[0]), {x}); });
  EXPECT_EQ(doubles(compile(second)({Tensor::of<float>({2}, {1, 2})})[0]), (std::vector<double>{18, 48}));
  expect_error(ErrorCode::bad_argument, "needs a seed", [] {
    trace("f", {{"x", f32, {2}}}, [](Var x) { return grad(x * x, {x}); });
  });
  expect_error(ErrorCode::bad_argument, "did you mean 'w'", [&] { return grad(loss, {"ww"}); });
}

TEST(Schedule, GivesTheRatesOfItsFormula) {
  const auto rates = [](const Schedule& s, std::vector<int64_t> steps) {
    const Compiled run = compile(trace("rate", {{"step", i64, {}}}, [&](Var step) { return s(step); }));
    std::vector<double> result;
    for (const int64_t k : steps) result.push_back(scalar_f64(run({Tensor::scalar<int64_t>(k)})[0]));
    return result;
  };
  const auto expect = [&](const Schedule& s, const std::vector<std::pair<int64_t, double>>& rows) {
    for (const auto& [step, rate] : rows) EXPECT_NEAR(rates(s, {step})[0], rate, 1e-6 * std::abs(rate) + 1e-9) << step;
  };
  expect(schedule::constant(0.5), {{0, 0.5}, {99, 0.5}});
  expect(schedule::linear(1, 3, 10), {{0, 1}, {5, 2}, {10, 3}, {20, 3}});
  expect(schedule::exponential_decay(2, 0.5, 10), {{0, 2}, {5, 2 * std::sqrt(0.5)}, {20, 0.5}});
  expect(schedule::exponential_decay(2, 0.5, 10, {.staircase = true}), {{9, 2}, {10, 1}, {19, 1}});
  expect(schedule::cosine_decay(1, 4, 0.2),
         {{0, 1}, {1, 0.2 + 0.4 * (1 + std::sqrt(0.5))}, {2, 0.6}, {4, 0.2}, {9, 0.2}});
  expect(schedule::piecewise({2, 5}, {1, 0.1, 0.01}), {{1, 1}, {2, 0.1}, {4, 0.1}, {5, 0.01}});
  expect(schedule::warmup(4, schedule::linear(1, 0, 4)), {{0, 0}, {2, 0.5}, {4, 1}, {6, 0.5}, {8, 0}});
  expect(schedule::one_cycle(1, 10, {.warmup = 0.4}), {{0, 0.04}, {2, 0.52}, {4, 1}, {7, 0.50005}, {10, 1e-4}});
  expect_error(ErrorCode::bad_argument, "part 3 values", [] { schedule::piecewise({1, 2}, {1, 2}); });
  expect_error(ErrorCode::bad_argument, "over 0 steps", [] { schedule::linear(1, 2, 0); });
}

// Each optimiser moves one number along the gradients of (x - 1)^2 / 2; the formulas are written again in doubles.
using Path = std::vector<double>;
Path path_of(const Optimizer& o, double start, int steps) {
  const Param x("x", Tensor::scalar(static_cast<float>(start)));
  const Function loss = trace("loss", {}, [&] { return square(x - 1.0) * 0.5; });
  Trainer trainer(loss, o);
  Path path;
  for (int k = 0; k < steps; ++k) {
    trainer.step({});
    path.push_back(scalar_f64(trainer.parameters()[0].second));
  }
  EXPECT_EQ(trainer.steps(), steps);
  return path;
}
template <class F>
Path reference(double x, int steps, F update) {
  Path path;
  for (int k = 1; k <= steps; ++k) path.push_back(x = update(x, x - 1, k));
  return path;
}
void expect_near(const Path& a, const Path& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-5) << "step " << i;
}

TEST(Optimizer, MovesAsItsFormulaSays) {
  expect_near(path_of(sgd(0.1), 3, 8), reference(3, 8, [](double x, double g, int) { return x - 0.1 * g; }));
  for (const bool nesterov : {false, true}) {
    double v = 0;
    expect_near(path_of(sgd(0.1, {.momentum = 0.9, .nesterov = nesterov, .weight_decay = 0.05}), 3, 8),
                reference(3, 8, [&](double x, double g, int) {
                  g += 0.05 * x, v = 0.9 * v + g;
                  return x - 0.1 * (nesterov ? g + 0.9 * v : v);
                }));
  }
  for (const double decay : {0.0, 0.3})
    for (const bool decoupled : {false, true}) {
      double m = 0, s = 0;
      const Optimizer o = decoupled ? adamw(0.1, {.beta1 = 0.8, .beta2 = 0.95, .weight_decay = decay})
                                    : adam(0.1, {.beta1 = 0.8, .beta2 = 0.95, .weight_decay = decay});
      expect_near(path_of(o, 3, 20), reference(3, 20, [&](double x, double g, int k) {
                    if (!decoupled) g += decay * x;
                    m = 0.8 * m + 0.2 * g, s = 0.95 * s + 0.05 * g * g;
                    const double mean = m / (1 - std::pow(0.8, k)), square = s / (1 - std::pow(0.95, k));
                    return x - 0.1 * mean / (std::sqrt(square) + 1e-8) - (decoupled ? 0.1 * decay * x : 0);
                  }));
    }
  for (const bool centered : {false, true})
    for (const double momentum : {0.0, 0.5}) {
      double s = 0, mean = 0, v = 0;
      expect_near(
          path_of(rmsprop(0.02, {.alpha = 0.9, .epsilon = 1e-3, .momentum = momentum, .centered = centered}), 3, 12),
          reference(3, 12, [&](double x, double g, int) {
            s = 0.9 * s + 0.1 * g * g, mean = 0.9 * mean + 0.1 * g;
            const double step = g / (std::sqrt(centered ? s - mean * mean : s) + 1e-3);
            v = momentum * v + step;
            return x - 0.02 * (momentum != 0 ? v : step);
          }));
    }
  // The rate of a schedule at each step.
  expect_near(path_of(sgd(schedule::piecewise({2}, {0.5, 0.1})), 3, 4),
              reference(3, 4, [](double x, double g, int k) { return x - (k <= 2 ? 0.5 : 0.1) * g; }));
}

TEST(Optimizer, ClipsGradientsTogether) {
  const Function f = trace("f", {{"a", f32, {2}}, {"b", f32, {}}}, [](Var a, Var b) {
    return clip_by_global_norm({a, b}, 1.0);
  });
  const auto run = [&](std::vector<float> a, float b) {
    const auto r = compile(f)({Tensor::of<float>({2}, a), Tensor::scalar(b)});
    return std::vector<double>{doubles(r[0])[0], doubles(r[0])[1], scalar_f64(r[1])};
  };
  const auto clipped = run({2, 3}, 6);  // of norm 7
  for (const auto& [got, value] : {std::pair{clipped[0], 2.0}, {clipped[1], 3.0}, {clipped[2], 6.0}})
    EXPECT_NEAR(got, value / 7, 1e-6);
  EXPECT_EQ(run({0.25, 0.5}, 0), (std::vector<double>{0.25, 0.5, 0}));
  EXPECT_EQ(run({0, 0}, 0), (std::vector<double>{0, 0, 0}));
}

Function line_loss(const Param& w, const Param& b) {
  return trace("line", {{"x", f32, {"n", 2}}, {"y", f32, {"n"}}}, [&](Var x, Var y) {
    const Var miss = matmul(x, w) + b - y;
    return Outputs{{"loss", mean(miss * miss)}, {"worst", max(abs(miss))}};
  });
}

TEST(Trainer, FitsALine) {
  Init init(3);
  const Param w("w", init.normal({2}, 0, 1)), b("b", Tensor(f32, {}));
  const Function loss = line_loss(w, b);
  Trainer trainer(loss, adam(0.05));
  const Tensor x = init.uniform({64, 2}, -1, 1);
  Tensor y(f32, {64});
  for (int64_t i = 0; i < 64; ++i)
    y.mutable_span<float>()[static_cast<size_t>(i)] =
        2 * x.span<float>()[static_cast<size_t>(2 * i)] - x.span<float>()[static_cast<size_t>(2 * i + 1)] + 0.5f;
  const double first = scalar_f64(trainer.step({x, y})[0]);
  std::vector<Tensor> last;
  for (int k = 0; k < 400; ++k) last = trainer.step({x, y});
  EXPECT_GT(first, 0.1);
  EXPECT_LT(scalar_f64(last[0]), 1e-5);
  assign_parameters({w, b}, trainer.parameters());
  EXPECT_NEAR(w.value().span<float>()[0], 2, 1e-2);
  EXPECT_NEAR(w.value().span<float>()[1], -1, 1e-2);
  EXPECT_NEAR(b.value().span<float>()[0], 0.5, 1e-2);
}

TEST(Trainer, GoesOnFromSavedState) {
  const auto folder = std::filesystem::path(TC_BINARY_DIR) / "train_test";
  std::filesystem::create_directories(folder);
  const Param w("w", Tensor::of<float>({2}, {0.5f, -0.25f})), b("b", Tensor(f32, {}));
  const Tensor x = Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 7}), y = Tensor::of<float>({3}, {1, 0, 1});
  Trainer one(line_loss(w, b), rmsprop(0.01, {.momentum = 0.5}));
  for (int k = 0; k < 3; ++k) one.step({x, y});
  for (const char* name : {"state.npz", "state.safetensors"}) {
    save_tensors(folder / name, one.state());
    Trainer two(line_loss(w, b), rmsprop(0.01, {.momentum = 0.5}));
    two.set_state(load_tensors(folder / name));
    EXPECT_EQ(two.steps(), 3);
    Trainer three = one;
    EXPECT_TRUE(two.step({x, y})[0].identical(three.step({x, y})[0]));
    for (size_t i = 0; i < two.state().size(); ++i)
      EXPECT_TRUE(two.state()[i].second.identical(three.state()[i].second)) << two.state()[i].first;
    NamedTensors damaged = one.state();
    damaged.pop_back();
    expect_error(ErrorCode::bad_argument, "'step'", [&] { two.set_state(damaged); });
  }
}

TEST(Trainer, SaysWhatIsWrong) {
  const Function none = trace("none", {{"x", f32, {}}}, [](Var x) { return x; });
  expect_error(ErrorCode::bad_argument, "no parameters to train", [&] { train_step(none, sgd(1)); });
  const Param w("w", Tensor::of<float>({2}, {1, 2}));
  expect_error(ErrorCode::bad_argument, "needs a seed",
               [&] { train_step(trace("f", {}, [&] { return w * 2; }), sgd(1)); });
  // A failed step loses the state that it was updating; a new one can be given.
  const Function looked_up =
      trace("looked_up", {{"at", i64, {}}}, [&](Var at) { return sum(take(w, reshape(at, {1}), {.axis = 0})); });
  Trainer trainer(looked_up, sgd(1));
  const NamedTensors start = trainer.state();
  expect_error(ErrorCode::bad_argument, "takes 1 inputs, got 0", [&] { trainer.step({}); });
  expect_error(ErrorCode::bad_value, "", [&] { trainer.step({Tensor::scalar<int64_t>(7)}); });
  expect_error(ErrorCode::bad_argument, "set_state", [&] { trainer.step({Tensor::scalar<int64_t>(1)}); });
  trainer.set_state(start);
  EXPECT_EQ(scalar_f64(trainer.step({Tensor::scalar<int64_t>(1)})[0]), 2);
}

TEST(TensorFile, KeepsWhatTheFormatHas) {
  const auto folder = std::filesystem::path(TC_BINARY_DIR) / "train_test";
  std::filesystem::create_directories(folder);
  const std::string path = folder / "all.safetensors";
  NamedTensors all;
  for (const DType t :
       {bool_, u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64, DType::f8e4m3fn, DType::f8e5m2})
    all.emplace_back(cat("a \\\"quoted\"\n name, ", t), Tensor(t, {2, 3}));
  all.emplace_back("empty", Tensor(f32, {0, 4}));
  all.emplace_back("scalar", Tensor::scalar(2.5));
  save_tensors(path, all);
  const NamedTensors back = load_tensors(path);
  ASSERT_EQ(back.size(), all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(back[i].first, all[i].first);
    EXPECT_TRUE(back[i].second.aligned_copy().identical(all[i].second)) << all[i].first;
  }
  expect_error(ErrorCode::bad_argument, ".npz or .safetensors", [&] { save_tensors(folder / "x.bin", all); });
  expect_error(ErrorCode::bad_argument, "two tensors", [&] {
    save_tensors(path, {{"a", Tensor(f32, {1})}, {"a", Tensor(f32, {1})}});
  });
  expect_error(ErrorCode::bad_type, "c64", [&] { save_tensors(path, {{"a", Tensor(c64, {1})}}); });
}

TEST(TensorFile, RefusesDamage) {
  const auto folder = std::filesystem::path(TC_BINARY_DIR) / "train_test";
  std::filesystem::create_directories(folder);
  const std::string path = folder / "damaged.safetensors";
  const auto load = [&](const std::string& header, size_t data, uint64_t length) {
    std::string bytes(8, '\0');
    for (size_t k = 0; k < 8; ++k) bytes[k] = static_cast<char>(length >> (8 * k) & 255);
    std::ofstream(path, std::ios::binary) << bytes << header << std::string(data, '\0');
    load_tensors(path);
  };
  const std::string fine = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"k":"v"}})";
  load(fine, 8, fine.size());
  for (const uint64_t length :
       {uint64_t{0}, uint64_t{5}, uint64_t{fine.size() - 1}, uint64_t{fine.size() + 20}, UINT64_MAX})
    expect_error(ErrorCode::bad_file, "", [&] { load(fine, 8, length); });
  const std::pair<const char*, size_t> rows[] = {
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 7},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 9},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12},
      {R"({"a":{"dtype":"F3","shape":[2],"data_offsets":[0,8]}})", 8},
      {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", 8},
      {R"({"a":{"dtype":"F32","shape":[2]}})", 0},
      {R"({"a":{"dtype":"F32","shape":[0,9223372036854775807,4],"data_offsets":[0,8]}})", 8},
      {R"({"a":{},"a":{}})", 0},
      {R"({"a)", 0},
      {R"({"\u12":1})", 0},
      {R"([])", 0},
      {R"({} x)", 0},
  };
  for (const auto& [header, data] : rows)
    expect_error(ErrorCode::bad_file, "damaged.safetensors",
                 [&, header = std::string(header), data = data] { load(header, data, header.size()); });
  for (const char* header : {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,8]}})"})
    expect_error(ErrorCode::limit_size, "", [&] { load(header, 8, std::string(header).size()); });
  for (size_t cut = 0; cut < fine.size(); ++cut) EXPECT_THROW(load(fine.substr(0, cut), 0, cut), Error) << cut;
}

}  // namespace
}  // namespace tc
