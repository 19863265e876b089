// Branches of many, folds, scans of other kinds, batches.
#include "vocabulary.h"

namespace tc::vocabulary {

Group fold_rows() {
  Group g{"Folds, branches of many, batches", {}};
  const auto branch = [&](std::string index, std::string numpy) {
    g.add(
        "switch_case", {"f32[4]", "i64[]=" + index},
        [](Var x, Var i) {
          return switch_case(
              i, [&] { return x; }, [&] { return x * 2; }, [&] { return sum(x) + x; });
        },
        std::move(numpy));
  };
  branch("0", "a");
  branch("1", "a * 2");
  branch("2", "a.sum() + a");
  branch("-3", "a");
  branch("7", "a.sum() + a");
  g.add(
      "switch_case", {"f32[4]", "i32[]=1"}, [](Var x, Var i) { return switch_case(i, x, 3.5, x * x); },
      "np.float32(3.5)");
  g.add(
      "foldl", {"f32[6,3]"}, [](Var x) { return foldl([](Var s, Var v) { return s * 0.5 + v; }, {zeros({3})}, {x}); },
      "functools.reduce(lambda s, v: s * np.float32(0.5) + v, a, np.zeros(3, 'f4'))");
  g.add(
      "foldr", {"f32[6,3]"}, [](Var x) { return foldr([](Var s, Var v) { return s * 0.5 + v; }, {zeros({3})}, {x}); },
      "functools.reduce(lambda s, v: s * np.float32(0.5) + v, a[::-1], np.zeros(3, 'f4'))");
  g.add(
      "scan_n", {"f32[3]"},
      [](Var x) {
        return scan_n([](Var s) { return std::pair{s * 2, s + 1}; }, 4, {x});
      },
      "(a * 16, np.stack([a + 1, a * 2 + 1, a * 4 + 1, a * 8 + 1]))");
  g.add(
      "scan_n", {"f32[3]", "i64[]=3"},
      [](Var x, Var n) {
        return scan_n([](Var s) { return std::pair{s * 2, s + 1}; }, n, {x}, {.axis = 1});
      },
      "(a * 8, np.stack([a + 1, a * 2 + 1, a * 4 + 1], 1))");
  g.add(
      "scan_until", {"f32[9]{0.5,1.5}"},
      [](Var x) {
        return scan_until(
            [](Var s, Var v) {
              return std::pair{s + v, s * v};
            },
            [](Var s) { return s > 3; }, {0.0}, {x});
      },
      "until(a, 3)");
  g.add(
      "scan_until", {"f32[9]{0.5,1.5}"},
      [](Var x) {
        return scan_until(
            [](Var s, Var v) {
              return std::pair{s + v, s * v};
            },
            [](Var s) { return s > 99; }, {0.0}, {x});
      },
      "until(a, 99)");
  g.add(
      "scan_n_until", {"i64[]=27"},
      [](Var n) {
        return scan_n_until(
            [](Var s) {
              const Var next = where(s % 2 == 0, s >> 1, s * 3 + 1);
              return std::pair{next, next};
            },
            [](Var s) { return s == 1; }, 1000, {n});
      },
      "collatz(27)");
  g.add(
      "associative_scan", {"f32[5,7]"},
      [](Var x) {
        const auto product = [](Var p, Var q) { return p * q; };
        return std::vector<Var>{associative_scan(product, {x}),
                                associative_scan(product, {x}, {.axis = 1, .reverse = true})};
      },
      "(np.cumprod(a, 0), np.cumprod(a[:, ::-1], 1)[:, ::-1])");
  g.add(
      "associative_scan", {"f64[9]{-1,1}", "f64[9]"},
      [](Var x, Var y) {
        // The recurrence s = x s + y.
        return associative_scan([](Var a, Var b, Var c, Var d) { return std::pair{a * c, b * c + d}; }, {x, y});
      },
      "recurrence(a, b)");
  g.add(
      "taps", {"f32[6,2]"},
      [](Var x) {
        return taps(x, {-2, 0, 1});
      },
      "(a[0:3], a[2:5], a[3:6])");
  const auto rows = [&](auto f, std::vector<std::string> inputs, std::string numpy, VmapOptions options = {}) {
    g.add("vmap", std::move(inputs), vmap(f, std::move(options)), std::move(numpy));
  };
  rows([](Var x) { return sqrt(sum(x * x)); }, {"f32[5,4]"}, "np.sqrt((a * a).sum(1))");
  rows([](Var x, Var y) { return x * 2 + exp(y); }, {"f32[5,4]", "f32[4]"}, "a * 2 + np.exp(b)",
       {.in_axes = {0, std::nullopt}});
  rows([](Var x, Var y) { return x + y; }, {"f32[5,2,3]", "f32[3,5]"}, "(a + b.T[:, None]).transpose(1, 2, 0)",
       {.in_axes = {0, 1}, .out_axis = 2});
  rows([](Var m, Var v) { return matmul(m, v); }, {"f32[5,2,3]", "f32[5,3,4]"}, "a @ b");
  rows([](Var m, Var v) { return matmul(m, v); }, {"f32[5,2,3]", "f32[3]"}, "a @ b", {.in_axes = {0, std::nullopt}});
  rows([](Var m, Var v) { return matmul(m, v); }, {"f32[6,2,3]", "f32[5,3,4]"}, "a @ b[:, None]",
       {.in_axes = {std::nullopt, 0}});
  rows(
      [](Var x) {
        return std::pair{reshape(transpose(x), {x.dim(1), -1}), concat({x, ones({1, x.dim(1)})})};
      },
      {"f32[5,2,3]"}, "(a.transpose(0, 2, 1), np.concatenate([a, np.ones((5, 1, 3), 'f4')], 1))");
  rows(
      [](Var x) {
        return std::vector<Var>{x[{slice({}, {}, -1), 1}], flip(x), x[0], softmax(x, 0), cumulative_sum(x, 1)};
      },
      {"f32[5,2,3]"}, "(a[:, ::-1, 1], a[:, ::-1, ::-1], a[:, 0], softmax(a, 1).astype('f4'), np.cumsum(a, 2))");
  rows(
      [](Var x, Var i) {
        return std::pair{x[i], take(x, i)};
      },
      {"f32[5,4]", "i64[5]{0,3}"}, "(a[np.arange(5), b], a[np.arange(5), b])");
  rows([](Var t, Var i) { return t[i] * 2; }, {"f32[4,3]", "i64[5]{0,3}"}, "a[b] * 2", {.in_axes = {std::nullopt, 0}});
  rows([](Var x) { return sort(x); }, {"f32[5,4]"}, "np.sort(a)");
  rows([](Var x) { return argmax(x); }, {"f32[5,4]"}, "a.argmax(1)");
  // No rule: element after element.
  rows(
      [](Var x) {
        return cond(
            sum(x) > 0, [&] { return x * 2; }, [&] { return -x; });
      },
      {"f32[5,4]"}, "np.where(a.sum(1, keepdims=True) > 0, a * 2, -a)");
  rows([](Var x) { return while_loop([](Var v) { return max(v) < 9; }, [](Var v) { return v * 2; }, {abs(x) + 1}); },
       {"f32[5,4]"}, "doubled_to(np.abs(a) + 1, 9)");
  rows([](Var x) { return vmap([](Var v) { return v - mean(v); })(x); }, {"f32[5,2,3]"},
       "a - a.mean(2, keepdims=True)");
  rows([](Var x) { return x * 0 + 1; }, {"f32[5]"}, "np.ones(5, 'f4')");
  return g;
}

}  // namespace tc::vocabulary
