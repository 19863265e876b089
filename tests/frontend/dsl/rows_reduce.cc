#include "vocabulary.h"

namespace tc::vocabulary {

Group reduce_rows() {
  Group g{"Along axes: statistics, searches, sorting, sets", {}};
  const std::vector<std::string> reals = {"f32", "f64", "f16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
  for (const std::string& t : reals) {
    const std::string type = t + "[3,4,5]";
    g.add(
        "max", {type}, [](Var x) { return max(x); }, "amax(a)");
    g.add(
        "max", {type},
        [](Var x) {
          return max(x, {.axis = {0, -1}, .keepdims = true});
        },
        "amax(a, (0, -1), True)");
    g.add(
        "min", {type}, [](Var x) { return min(x, {.axis = 1}); }, "amin(a, 1)");
    g.add(
        "sum", {type},
        [](Var x) {
          return sum(x, {.axis = {1, 2}});
        },
        "sum_(a, (1, 2))");
    g.add(
         "prod", {type}, [](Var x) { return prod(x, {.axis = 2, .keepdims = true}); }, "prod(a, 2, True)")
        .tolerance = t == "f16" ? 1e-2 : 0;
    g.add(
         "cumulative_sum", {type}, [](Var x) { return cumulative_sum(x, {.axis = 1}); }, "cumulative_sum(a, 1)")
        .tolerance = t == "f16" ? 1e-2 : 0;
    g.add(
         "cumulative_prod", {type}, [](Var x) { return cumulative_prod(x, {.axis = -1}); }, "cumulative_prod(a, -1)")
        .tolerance = t == "f16" ? 1e-2 : 0;
    g.add(
        "argmax", {t + "[4,30]"}, [](Var x) { return argmax(x, {.axis = 1}); }, "np.argmax(a, 1)");
    g.add(
        "argmin", {t + "[4,30]"}, [](Var x) { return argmin(x); }, "np.argmin(a)");
    g.add(
        "sort", {t + "[4,30]"}, [](Var x) { return sort(x); }, "sort_(a)");
    g.add(
        "argsort", {t + "[4,30]"}, [](Var x) { return argsort(x); }, "argsort_(a)");
    g.add(
        "argsort", {t + "[30,4]"}, [](Var x) { return argsort(x, {.axis = 0, .descending = true}); },
        "argsort_(a, 0, True)");
    g.add(
        "unique_values", {t + "[4,30]"}, [](Var x) { return unique_values(x); }, "np.unique(a)");
  }
  g.add(
      "max", {"f32[2,21]{edge}"}, [](Var x) { return max(x, {.axis = 1}); }, "amax(a, 1)");
  g.add(
      "max", {"f32[3,4]"}, [](Var x) { return max(x, {.axis = std::vector<int64_t>{}}); }, "a");
  g.add(
      "min", {"f32[2,20]{edge}"}, [](Var x) { return min(x, {.axis = 0}); }, "amin(a, 0)");
  g.add(
      "sum", {"bool[3,4]"}, [](Var x) { return sum(x); }, "sum_(a)");
  g.add(
      "sum", {"i32[3,4]"}, [](Var x) { return sum(x, {.dtype = i32}); }, "sum_(a, dtype='i4')");
  g.add(
      "sum", {"f32[3,0]"}, [](Var x) { return sum(x, {.axis = 1}); }, "sum_(a, 1)");
  g.add(
      "sum", {"f32[]"}, [](Var x) { return sum(x); }, "sum_(a)");
  g.add(
      "prod", {"f32[3,0]"}, [](Var x) { return prod(x, {.axis = 1}); }, "prod(a, 1)");
  g.add(
      "mean", {"f32[3,4,5]"}, [](Var x) { return mean(x); }, "mean(a)");
  g.add(
      "mean", {"f64[3,4,5]"},
      [](Var x) {
        return mean(x, {.axis = {0, 2}, .keepdims = true});
      },
      "mean(a, (0, 2), True)");
  g.add(
      "var", {"f32[3,4,5]"}, [](Var x) { return var(x, {.axis = 1}); }, "np.var(a, 1)");
  g.add(
      "var", {"f64[3,4,5]"},
      [](Var x) {
        return var(x, {.axis = {0, 1}, .correction = 1, .keepdims = true});
      },
      "np.var(a, (0, 1), ddof=1, keepdims=True)");
  g.add(
      "std", {"f32[3,4,5]"}, [](Var x) { return tc::std(x, {.correction = 1}); }, "np.std(a, ddof=1)");
  g.add(
      "all", {"bool[3,4]"}, [](Var x) { return all(x, {.axis = 1}); }, "all_(a, 1)");
  g.add(
      "all", {"f32[3,4]"}, [](Var x) { return all(x); }, "all_(a)");
  g.add(
      "all", {"bool[0]"}, [](Var x) { return all(x); }, "all_(a)");
  g.add(
      "any", {"bool[3,4]"}, [](Var x) { return any(x, {.axis = 0, .keepdims = true}); }, "any_(a, 0, True)");
  g.add(
      "any", {"i32[3,4]{0,1}"}, [](Var x) { return any(x, {.axis = 1}); }, "any_(a, 1)");
  g.add(
      "any", {"bool[0]"}, [](Var x) { return any(x); }, "any_(a)");
  g.add(
      "count_nonzero", {"i32[3,4]{0,2}"}, [](Var x) { return count_nonzero(x, {.axis = 1}); },
      "np.count_nonzero(a, 1)");
  g.add(
      "count_nonzero", {"bool[3,4]"}, [](Var x) { return count_nonzero(x, {.keepdims = true}); },
      "np.count_nonzero(a, keepdims=True)");
  g.add(
      "logsumexp", {"f32[3,4]{-200,200}"}, [](Var x) { return logsumexp(x, {.axis = 1}); },
      "np.logaddexp.reduce(a, 1)");
  g.add(
      "cumulative_sum", {"f32[6]"}, [](Var x) { return cumulative_sum(x, {.include_initial = true}); },
      "cumulative_sum(a, include_initial=True)");
  g.add(
      "cumulative_sum", {"i32[2,3]"}, [](Var x) { return cumulative_sum(x, {.axis = 0, .dtype = f64}); },
      "cumulative_sum(a, 0, 'f8')");
  g.add(
      "cumulative_prod", {"f64[2,3]"}, [](Var x) { return cumulative_prod(x, {.axis = 1, .include_initial = true}); },
      "cumulative_prod(a, 1, include_initial=True)");
  g.add(
      "diff", {"f32[3,6]"}, [](Var x) { return diff(x); }, "np.diff(a)");
  g.add(
      "diff", {"i64[3,6]"}, [](Var x) { return diff(x, {.axis = 0, .n = 2}); }, "np.diff(a, 2, 0)");
  g.add(
      "diff", {"f32[6]", "f32[1]", "f32[2]"}, [](Var x, Var p, Var q) { return diff(x, {.prepend = p, .append = q}); },
      "np.diff(a, prepend=b, append=c)");
  g.add(
      "argmax", {"f32[2,21]{edge}"}, [](Var x) { return argmax(x, {.axis = 1, .keepdims = true}); },
      "np.argmax(a, 1, keepdims=True)");
  g.add(
      "argmin", {"i32[3,40]{0,3}"}, [](Var x) { return argmin(x, {.axis = 1}); }, "np.argmin(a, 1)");
  g.add(
      "argmin", {"f32[3,4]"}, [](Var x) { return argmin(x, {.keepdims = true}); }, "np.argmin(a, keepdims=True)");
  g.add(
      "nonzero", {"i32[3,4]{0,2}"}, [](Var x) { return nonzero(x); }, "np.nonzero(a)");
  g.add(
      "nonzero", {"bool[2,3,4]"}, [](Var x) { return nonzero(x); }, "np.nonzero(a)");
  const std::string sorted = "f32[6]=-2,-1,0,0,1,5";
  g.add(
      "searchsorted", {sorted, "f32[3,7]{-3,6}"}, [](Var x, Var y) { return searchsorted(x, y); },
      "np.searchsorted(a, b)");
  g.add(
      "searchsorted", {sorted, "f32[5]=0,5,-2,1,9"},
      [](Var x, Var y) { return searchsorted(x, y, {.side = Side::right}); }, "np.searchsorted(a, b, 'right')");
  g.add(
      "searchsorted", {"i64[4]=5,1,3,2", "i64[6]{0,6}", "i64[4]=1,3,2,0"},
      [](Var x, Var y, Var s) { return searchsorted(x, y, {.sorter = s}); }, "np.searchsorted(a, b, sorter=c)");
  g.add(
      "searchsorted", {"f32[0]", "f32[3]"}, [](Var x, Var y) { return searchsorted(x, y); }, "np.searchsorted(a, b)");
  g.add(
      "sort", {"f32[42]{edge}"}, [](Var x) { return sort(x); }, "sort_(a)");
  g.add(
      "sort", {"f32[3,5]"}, [](Var x) { return sort(x, {.axis = 0, .descending = true}); }, "sort_(a, 0, True)");
  g.add(
      "argsort", {"i32[50]{0,4}"}, [](Var x) { return argsort(x); }, "argsort_(a)");
  g.add(
      "argsort", {"i32[50]{0,4}"}, [](Var x) { return argsort(x, {.descending = true}); }, "argsort_(a, -1, True)");
  g.add(
      "top_k", {"f32[3,20]"},
      [](Var x) {
        const auto [values, indices] = top_k(x, 4);
        return std::pair{values, indices};
      },
      "(np.flip(np.sort(a), 1)[:, :4], argsort_(a, 1, True)[:, :4])");
  g.add(
      "unique_all", {"i32[4,9]{0,6}"},
      [](Var x) {
        const UniqueAll u = unique_all(x);
        return std::tuple{u.values, u.indices, u.inverse_indices, u.counts};
      },
      "(lambda u: (u[0], u[1], u[2].reshape(a.shape), u[3]))(unique_all(a))");
  g.add(
      "unique_counts", {"f32[30]{edge}"},
      [](Var x) {
        const UniqueCounts u = unique_counts(x);
        return std::pair{u.values, u.counts};
      },
      "np.unique(a, return_counts=True)");
  g.add(
      "unique_inverse", {"u8[4,9]{0,6}"},
      [](Var x) {
        const UniqueInverse u = unique_inverse(x);
        return std::pair{u.values, u.inverse_indices};
      },
      "(lambda u: (u[0], u[2].reshape(a.shape)))(unique_all(a))");
  g.add(
      "unique_values", {"bool[9]"}, [](Var x) { return unique_values(x); }, "np.unique(a)");
  return g;
}

Group linalg_rows() {
  Group g{"Linear algebra", {}};
  for (const std::string t : {"f32", "f64", "i8", "i32", "i64", "u16"})
    g.add(
        "matmul", {t + "[3,4]", t + "[4,5]"}, [](Var a, Var b) { return matmul(a, b); }, "a @ b");
  g.add(
      "matmul", {"f32[2,1,3,4]", "f32[5,4,6]"}, [](Var a, Var b) { return matmul(a, b); }, "a @ b");
  g.add(
      "dot", {"f32[3,4]", "f32[4,5]"}, [](Var a, Var b) { return dot(a, b); }, "np.dot(a, b)");
  g.add(
      "dot", {"f32[2,3,4]", "f32[5,4,6]"}, [](Var a, Var b) { return dot(a, b); }, "np.dot(a, b)");
  g.add(
      "matmul", {"f32[4]", "f32[4,5]"}, [](Var a, Var b) { return matmul(a, b); }, "a @ b");
  g.add(
      "matmul", {"f32[2,3,4]", "f32[4]"}, [](Var a, Var b) { return matmul(a, b); }, "a @ b");
  g.add(
      "matmul", {"f32[3,0]", "f32[0,4]"}, [](Var a, Var b) { return matmul(a, b); }, "a @ b");
  g.add(
      "matrix_transpose", {"f32[2,3,4]"}, [](Var x) { return matrix_transpose(x); }, "matrix_transpose(a)");
  g.add(
      "tensordot", {"f32[2,3,4]", "f32[3,4,5]"}, [](Var a, Var b) { return tensordot(a, b); }, "np.tensordot(a, b)");
  g.add(
      "tensordot", {"f32[2,3]", "f32[4]"}, [](Var a, Var b) { return tensordot(a, b, {.axes = 0}); },
      "np.tensordot(a, b, 0)");
  g.add(
      "tensordot", {"f64[2,3,4]", "f64[4,5,2]"},
      [](Var a, Var b) {
        return tensordot(a, b, {.axes = {{2, 0}, {0, 2}}});
      },
      "np.tensordot(a, b, ((2, 0), (0, 2)))");
  g.add(
      "vecdot", {"f32[3,4]", "f32[4]"}, [](Var a, Var b) { return vecdot(a, b); }, "vecdot(a, b)");
  g.add(
      "vecdot", {"i8[3,4]", "i8[3,1]"}, [](Var a, Var b) { return vecdot(a, b, {.axis = -2}); }, "vecdot(a, b, -2)");
  g.add(
      "einsum", {"f32[2,3,4]", "f32[2,4,5]"},
      [](Var a, Var b) {
        return einsum("bij,bjk->bik", {a, b});
      },
      "np.einsum('bij,bjk->bik', a, b)");
  g.add(
      "einsum", {"f32[3,4]", "f32[4]", "f32[3]"},
      [](Var a, Var b, Var c) {
        return einsum("ij,j,i", {a, b, c});
      },
      "np.einsum('ij,j,i', a, b, c)");
  g.add(
      "linalg.matmul", {"f32[3,4]", "f32[4,5]"}, [](Var a, Var b) { return linalg::matmul(a, b); }, "a @ b");
  g.add(
      "linalg.matrix_transpose", {"f32[3,4]"}, [](Var a) { return linalg::matrix_transpose(a); }, "a.T");
  g.add(
      "linalg.tensordot", {"f32[3,4]", "f32[4,5]"}, [](Var a, Var b) { return linalg::tensordot(a, b, {.axes = 1}); },
      "a @ b");
  g.add(
      "linalg.vecdot", {"f32[3,4]", "f32[3,4]"}, [](Var a, Var b) { return linalg::vecdot(a, b); }, "vecdot(a, b)");
  g.add(
       "linalg.cross", {"f32[4,3]", "f32[3]"}, [](Var a, Var b) { return linalg::cross(a, b); }, "np.cross(a, b)")
      .fixed = true;
  g.add(
      "linalg.cross", {"f64[3,4]", "f64[3,4]"}, [](Var a, Var b) { return linalg::cross(a, b, {.axis = 0}); },
      "np.cross(a, b, axis=0)");
  g.add(
      "linalg.diagonal", {"f32[2,3,4]"}, [](Var x) { return linalg::diagonal(x); }, "np.diagonal(a, 0, 1, 2)");
  g.add(
      "linalg.diagonal", {"i32[3,4]"}, [](Var x) { return linalg::diagonal(x, {.offset = 2}); }, "np.diagonal(a, 2)");
  g.add(
      "linalg.diagonal", {"i32[4,3]"}, [](Var x) { return linalg::diagonal(x, {.offset = -2}); }, "np.diagonal(a, -2)");
  g.add(
      "linalg.diagonal", {"i32[4,3]"}, [](Var x) { return linalg::diagonal(x, {.offset = 7}); }, "np.diagonal(a, 7)");
  g.add(
      "linalg.matrix_norm", {"f32[2,3,4]"}, [](Var x) { return linalg::matrix_norm(x); },
      "np.linalg.norm(a, axis=(1, 2))");
  const std::pair<linalg::MatrixNorm, std::string> norms[] = {{linalg::MatrixNorm::one, "1"},
                                                              {linalg::MatrixNorm::minus_one, "-1"},
                                                              {linalg::MatrixNorm::inf, "inf"},
                                                              {linalg::MatrixNorm::minus_inf, "-inf"}};
  for (const auto& [ord, spelled] : norms)
    g.add(
        "linalg.matrix_norm", {"f64[3,4]"},
        [ord = ord](Var x) { return linalg::matrix_norm(x, {.keepdims = true, .ord = ord}); },
        "np.linalg.norm(a, " + spelled + ", keepdims=True)");
  for (const int64_t n : {0, 1, 2, 3, 10})
    g.add(
         "linalg.matrix_power", {"f64[3,3]"}, [n](Var x) { return linalg::matrix_power(x, n); },
         "np.linalg.matrix_power(a, " + std::to_string(n) + ")")
        .tolerance = 1e-10;
  g.add(
      "linalg.outer", {"f32[3]", "f32[4]"}, [](Var a, Var b) { return linalg::outer(a, b); }, "np.outer(a, b)");
  g.add(
      "linalg.trace", {"f32[2,3,4]"}, [](Var x) { return linalg::trace(x); }, "np.trace(a, 0, 1, 2)");
  g.add(
      "linalg.trace", {"i32[3,4]"}, [](Var x) { return linalg::trace(x, {.offset = 1}); }, "np.trace(a, 1)");
  for (const std::string ord : {"2", "1", "0", "3.5", "inf", "-inf", "-1"})
    g.add(
        "linalg.vector_norm", {"f64[3,4]"},
        [p = std::stod(ord)](Var x) { return linalg::vector_norm(x, {.axis = 1, .ord = p}); },
        "np.linalg.norm(a, " + ord + ", axis=1)");
  g.add(
      "linalg.vector_norm", {"f32[3,4]"}, [](Var x) { return linalg::vector_norm(x, {.keepdims = true}); },
      "np.linalg.norm(a.ravel()).reshape(1, 1)");
  add_decompositions(g);
  return g;
}

Group control_rows() {
  Group g{"Control flow", {}};
  for (const std::string flag : {"1", "0"})
    g.add(
        "cond", {"bool[]=" + flag, "f32[3]"},
        [](Var p, Var x) {
          return cond(
              p, [&] { return x + 1; }, [&] { return x * 2; });
        },
        "b + 1 if a else b * 2");
  g.add(
      "cond", {"f32[5]"},
      [](Var x) {
        return cond(
            sum(x) > 0,
            [&] {
              return std::pair{x[slice(0, 2)], sum(x)};
            },
            [&] {
              return std::pair{x[slice(0, 3)], -sum(x)};
            });
      },
      "(a[:2], a.sum()) if a.sum() > 0 else (a[:3], -a.sum())");
  g.add(
      "while_loop", {"f32[]{1,2}"},
      [](Var x) { return while_loop([](Var v) { return v < 100; }, [](Var v) { return v * 2; }, {x}); },
      "(a * 2 ** np.ceil(np.log2(100 / a))).astype('f4')");
  g.add(
      "while_loop", {"i64[]=5"},
      [](Var n) {
        return while_loop([](Var i, Var) { return i > 0; },
                          [](Var i, Var p) {
                            return std::pair{i - 1, p * i};
                          },
                          {n, 1});
      },
      "(np.int64(0), np.int64(120))");
  // Grows: the extent differs from one iteration to the next.
  g.add(
      "while_loop", {"f32[1]"},
      [](Var x) {
        return while_loop([](Var v) { return v.dim(0) < Arg(5); }, [](Var v) { return concat({v, v}); }, {x});
      },
      "np.tile(a, 8)");
  g.add(
      "fori_loop", {"f32[4]"},
      [](Var x) { return fori_loop(0, 3, [&](Var i, Var v) { return v + x * astype(i, f32); }, {x}); }, "a * 4");
  g.add(
      "fori_loop", {"i32[]=2", "i32[]=6"},
      [](Var m, Var n) { return fori_loop(m, n, [](Var i, Var s) { return s + i; }, {0}); }, "np.int64(14)");
  g.add(
      "fori_loop", {"f32[4]"}, [](Var x) { return fori_loop(5, 2, [](Var, Var v) { return v * 0; }, {x}); }, "a");
  // A number takes the type that the body gives it.
  g.add(
      "fori_loop", {"f32[3]"},
      [](Var x) { return fori_loop(0, x.dim(0), [&](Var i, Var s) { return s + x[i]; }, {0}); }, "a.sum()");
  g.add(
      "scan", {"f32[5,3]"},
      [](Var x) {
        return scan([](Var s, Var row) { return std::pair{s + row, s * row}; }, {zeros_like(x[0])}, {x});
      },
      "(a.sum(0), (np.cumsum(a, 0) - a) * a)");
  g.add(
      "scan", {"f32[5,3]"},
      [](Var x) {
        return scan(
            [](Var s, Var row) {
              return std::pair{s + row, s * row};
            },
            {zeros_like(x[0])}, {x}, {.checkpoint = 2});
      },
      "(a.sum(0), (np.cumsum(a, 0) - a) * a)");
  g.add(
      "scan", {"f32[3,5]", "f32[3,5]"},
      [](Var x, Var y) {
        return scan(
            [](Var s, Var p, Var q) {
              return std::pair{s * 0.5 + p, s + q};
            },
            {zeros({x.dim(0)})}, {x, y}, {.reverse = true, .axis = 1});
      },
      "(sum(a[:, i] * np.float32(0.5) ** i for i in range(5)), np.stack([b[:, k] + sum((a[:, i] * np.float32(0.5) ** "
      "(i - k - 1) for i in range(k + 1, 5)), np.zeros(3, 'f4')) for k in range(5)], 1))");
  g.add(
      "map", {"f32[5,3]", "f32[5]"},
      [](Var x, Var y) {
        return map([](Var row, Var s) { return sum(row) * s; }, {x, y});
      },
      "a.sum(1) * b");
  return g;
}

}  // namespace tc::vocabulary
