// NumPy's names beyond the Array API.
#include "vocabulary.h"

namespace tc::vocabulary {

Group numpy_elementwise_rows() {
  Group g{"NumPy: elementwise", {}};
  const std::string edges = "f32[21,1]{edge}", others = "f32[20]{edge}";
  g.add(
      "fmod", {edges, others}, [](Var x, Var y) { return fmod(x, y); }, "np.fmod(a, b[:20])");
  g.add(
      "fmod", {"i32[9]=7,-7,7,-7,5,0,3,-3,9", "i32[9]=3,3,-3,-3,5,2,7,7,-1"}, [](Var x, Var y) { return fmod(x, y); },
      "np.fmod(a, b)");
  g.add(
      "divmod", {"f32[3,17]", "f32[17]{0.5,3}"},
      [](Var x, Var y) {
        const auto [q, r] = divmod(x, y);
        return std::pair{q, r};
      },
      "np.divmod(a, b)");
  g.add(
      "fmax", {edges, others}, [](Var x, Var y) { return fmax(x, y); }, "np.fmax(a, b)");
  g.add(
      "fmin", {edges, others}, [](Var x, Var y) { return fmin(x, y); }, "np.fmin(a, b)");
  g.add(
      "fmin", {"i32[5]", "i64[5]"}, [](Var x, Var y) { return fmin(x, y); }, "np.fmin(a, b)");
  g.add(
      "heaviside", {edges, "f32[3]"}, [](Var x, Var h) { return heaviside(x, h); }, "np.heaviside(a, b)");
  g.add(
      "round_half_away", {"f32[9]=0.49999997,0.5,-0.5,1.5,-2.5,8388609,-1.2,2.7,0"},
      [](Var x) { return round_half_away(x); }, "np.float32([0, 1, -1, 2, -3, 8388609, -1, 3, 0])");
  g.add(
      "ldexp", {"f32[6]=1,-3,0.7,1,0,5", "i32[6]=3,-2,-140,200,7,-1"}, [](Var x, Var e) { return ldexp(x, e); },
      "np.ldexp(a, b)");
  g.add(
      "ldexp", {"f64[5]=1,-3,0.7,1,0.3", "i64[5]=3,-1030,-1060,2000,1021"}, [](Var x, Var e) { return ldexp(x, e); },
      "np.ldexp(a, b)");
  g.add(
      "frexp", {"f32[12]=1,-3,0.7,0,1e-42,3e38,inf,-0.5,0.99999994,8,nan,1e-30"},
      [](Var x) {
        const auto [m, e] = frexp(x);
        return std::pair{m, e};
      },
      "np.frexp(a)");
  g.add(
      "frexp", {"f64[7]=1,-3e300,5e-324,0.1,1e-310,1024,-0.9999999999999999"},
      [](Var x) {
        const auto [m, e] = frexp(x);
        return std::pair{m, e};
      },
      "np.frexp(a)");
  g.add(
      "modf", {edges},
      [](Var x) {
        const auto [f, w] = modf(x);
        return std::pair{f, w};
      },
      "np.modf(a)");
  g.add(
      "bitwise_count", {"i8[11]{edge}"}, [](Var x) { return bitwise_count(x); }, "bits(a)");
  g.add(
      "bitwise_count", {"i64[9]=0,1,-1,255,-4,1099511627775,7,4503599627370495,-65"},
      [](Var x) { return bitwise_count(x); }, "bits(a)");
  g.add(
      "bitwise_count", {"u32[9]{edge}"}, [](Var x) { return bitwise_count(x); }, "bits(a)");
  g.add(
      "gcd", {"i32[7,1]=0,12,-18,7,35,1,100", "i32[5]=0,6,-4,35,28"}, [](Var x, Var y) { return gcd(x, y); },
      "np.gcd(a, b)");
  g.add(
      "lcm", {"i64[7,1]=0,12,-18,7,35,1,100", "i64[5]=0,6,-4,35,28"}, [](Var x, Var y) { return lcm(x, y); },
      "np.lcm(a, b)");
  g.add(
      "nan_to_num", {edges}, [](Var x) { return nan_to_num(x); }, "np.nan_to_num(a)");
  g.add(
      "nan_to_num", {"f64[21]{edge}"}, [](Var x) { return nan_to_num(x, {.nan = 1, .posinf = 2, .neginf = 3}); },
      "np.nan_to_num(a, nan=1, posinf=2, neginf=3)");
  g.add(
      "isposinf", {edges}, [](Var x) { return isposinf(x); }, "np.isposinf(a)");
  g.add(
      "isneginf", {edges}, [](Var x) { return isneginf(x); }, "np.isneginf(a)");
  g.add(
      "isclose", {edges, others}, [](Var x, Var y) { return isclose(x, y, {.rtol = 0.1, .equal_nan = true}); },
      "np.isclose(a, b, rtol=0.1, equal_nan=True)");
  g.add(
      "isclose", {"i32[4]=1,2,300,4", "i32[4]=1,3,301,4"}, [](Var x, Var y) { return isclose(x, y, {.rtol = 0.01}); },
      "np.isclose(a, b, rtol=0.01)");
  g.add(
      "allclose", {"f32[4]", "f32[4]"}, [](Var x, Var y) { return allclose(x + y - y, x, {.atol = 1e-4}); },
      "np.array(True)");
  g.add(
      "array_equal", {"f32[3,4]", "f32[3,5]"},
      [](Var x, Var y) {
        return std::vector<Var>{array_equal(x, y), array_equal(x, x), array_equal(x, x + 1)};
      },
      "(np.array(False), np.array(True), np.array(False))");
  const auto alias = [&](std::string name, auto f, std::string numpy, std::string type = "f32[9]{-0.9,0.9}") {
    g.add(std::move(name), {std::move(type)}, f, std::move(numpy));
  };
  alias(
      "absolute", [](Var x) { return absolute(x); }, "np.absolute(a)");
  alias(
      "arccos", [](Var x) { return arccos(x); }, "np.arccos(a)");
  alias(
      "arccosh", [](Var x) { return arccosh(x); }, "np.arccosh(a)", "f32[9]{1,5}");
  alias(
      "arcsin", [](Var x) { return arcsin(x); }, "np.arcsin(a)");
  alias(
      "arcsinh", [](Var x) { return arcsinh(x); }, "np.arcsinh(a)");
  alias(
      "arctan", [](Var x) { return arctan(x); }, "np.arctan(a)");
  alias(
      "arctan2", [](Var x) { return arctan2(x, x * x - 0.3); }, "np.arctan2(a, a * a - np.float32(0.3))");
  alias(
      "arctanh", [](Var x) { return arctanh(x); }, "np.arctanh(a)");
  alias(
      "fix", [](Var x) { return fix(x * 9); }, "np.fix(a * 9)");
  alias(
      "rint", [](Var x) { return rint(x * 9); }, "np.rint(a * 9)");
  alias(
      "power", [](Var x) { return power(x, 3); }, "np.power(a, 3)");
  alias(
      "true_divide", [](Var x) { return true_divide(x, 3); }, "np.true_divide(a, np.float32(3))");
  alias(
      "mod", [](Var x) { return mod(x, -3); }, "np.mod(a, -3)", "i32[9]");
  alias(
      "invert", [](Var x) { return invert(x); }, "np.invert(a)", "i32[9]");
  alias(
      "left_shift", [](Var x) { return left_shift(x, 2); }, "np.left_shift(a, 2)", "i32[9]");
  alias(
      "right_shift", [](Var x) { return right_shift(x, 2); }, "np.right_shift(a, 2)", "i32[9]");
  return g;
}

Group numpy_index_rows() {
  Group g{"NumPy: indices and places", {}};
  g.add(
      "unravel_index", {"i64[2,3]{0,23}"},
      [](Var i) {
        return unravel_index(i, {2, 3, 4});
      },
      "np.unravel_index(a, (2, 3, 4))");
  g.add(
      "unravel_index", {"i64[5]{0,11}", "f32[3,4]"}, [](Var i, Var x) { return unravel_index(i, x.shape()); },
      "np.unravel_index(a, (3, 4))");
  g.add(
      "ravel_multi_index", {"i64[5]{0,2}", "i64[5]{0,3}"},
      [](Var i, Var j) {
        return ravel_multi_index({i, j}, {3, 4});
      },
      "np.ravel_multi_index((a, b), (3, 4))");
  g.add(
      "ravel_multi_index", {"i64[9]{-9,9}", "i64[9]{-9,9}"},
      [](Var i, Var j) {
        return std::pair{ravel_multi_index({i, j}, {3, 4}, {.mode = OutOfRange::wrap}),
                         ravel_multi_index({i, j}, {3, 4}, {.mode = OutOfRange::clip})};
      },
      "(np.ravel_multi_index((a, b), (3, 4), mode='wrap'), np.ravel_multi_index((a, b), (3, 4), mode='clip'))");
  g.add(
      "fill_diagonal", {"f32[4,3]"}, [](Var x) { return fill_diagonal(x, 7); }, "filled_diagonal(a, 7)");
  g.add(
      "fill_diagonal", {"f32[3,3,3]"}, [](Var x) { return fill_diagonal(x, 7); }, "filled_diagonal(a, 7)");
  g.add(
      "fill_diagonal", {"i32[9,3]"}, [](Var x) { return fill_diagonal(x, 7, {.wrap = true}); },
      "filled_diagonal(a, 7, wrap=True)");
  g.add(
      "fill_diagonal", {"f32[9,3]", "f32[2]"}, [](Var x, Var v) { return fill_diagonal(x, v, {.wrap = true}); },
      "filled_diagonal(a, b, wrap=True)");
  g.add(
      "fill_diagonal", {"f32[4,5]", "f32[4]"},
      [](Var x, Var v) {
        return std::pair{fill_diagonal(x, v, {.offset = 2}), fill_diagonal(x, v, {.offset = -1})};
      },
      "(updated(a, (np.arange(3), np.arange(3) + 2), b[:3]), updated(a, (np.arange(3) + 1, np.arange(3)), b[:3]))");
  g.add(
      "choose", {"i64[2,3]{0,2}", "f32[2,3]", "f32[3]", "f32[2,1]"},
      [](Var i, Var x, Var y, Var z) {
        return choose(i, {x, y, z});
      },
      "np.choose(a, [b, c, d])");
  g.add(
      "choose", {"i64[7]=-4,-1,0,1,2,3,9", "i32[7]", "i32[7]"},
      [](Var i, Var x, Var y) {
        return std::pair{choose(i, {x, y}, {.mode = OutOfRange::wrap}), choose(i, {x, y}, {.mode = OutOfRange::clip})};
      },
      "(np.choose(a, [b, c], mode='wrap'), np.choose(a, [b, c], mode='clip'))");
  g.add(
      "select", {"f32[3,5]", "f32[5]"},
      [](Var x, Var y) {
        return select({x < -0.5, x < 0.5}, {y, x * 2}, {.otherwise = 9});
      },
      "np.select([a < -0.5, a < 0.5], [b, a * 2], 9)");
  g.add(
      "piecewise", {"f32[3,5]"},
      [](Var x) {
        return std::pair{piecewise(x, {x<0, x> - 0.5}, {-x, 2}), piecewise(x, {x < 0}, {0, sqrt(abs(x))})};
      },
      "(np.piecewise(a, [a < 0, a > -0.5], [lambda v: -v, 2]), np.piecewise(a, [a < 0], [0, lambda v: "
      "np.sqrt(np.abs(v))]))");
  g.add(
      "argwhere", {"i32[3,4]{0,1}"}, [](Var x) { return argwhere(x); }, "np.argwhere(a)");
  g.add(
      "flatnonzero", {"bool[3,4]"}, [](Var x) { return flatnonzero(x); }, "np.flatnonzero(a)");
  g.add(
      "extract", {"bool[3,4]", "f32[3,4]"}, [](Var c, Var x) { return extract(c, x); }, "np.extract(a, b)");
  g.add(
      "compress", {"i32[3]=0,2,1", "f32[3,4]"}, [](Var c, Var x) { return compress(c, x, {.axis = 0}); },
      "np.compress(a, b, 0)");
  g.add(
      "compress", {"bool[12]", "f32[3,4]"}, [](Var c, Var x) { return compress(c, x); }, "np.compress(a, b)");
  g.add(
      "put_along_axis", {"f32[3,4]", "i64[3,2]=0,1,3,2,1,0"}, [](Var x, Var i) { return put_along_axis(x, i, 5); },
      "put_along(a, b, 5, -1)");
  g.add(
      "permute_row_elements", {"f32[3,4]", "i64[3,4]=0,1,2,3,3,2,1,0,2,0,3,1"},
      [](Var x, Var p) {
        return std::pair{permute_row_elements(x, p), permute_row_elements(x, p, {.inverse = true})};
      },
      "(np.take_along_axis(a, b, -1), np.take_along_axis(a, np.argsort(b), -1))");
  g.add(
      "permute_row_elements", {"f32[3,4]", "i64[4]=3,1,0,2"}, [](Var x, Var p) { return permute_row_elements(x, p); },
      "a[:, b]");
  g.add(
      "gather_nd", {"f32[3,4,2]", "i64[2,2]=0,1,2,3"}, [](Var x, Var i) { return gather_nd(x, i); },
      "a[b[:, 0], b[:, 1]]");
  g.add(
      "gather_nd", {"f32[2,4,3]", "i64[2,1]=3,0"}, [](Var x, Var i) { return gather_nd(x, i, {.batch_dims = 1}); },
      "np.stack([a[0, 3], a[1, 0]])");
  g.add(
      "scatter_nd", {"f32[4,3]", "i64[2,1]=2,0", "f32[2,3]"},
      [](Var x, Var i, Var u) {
        return std::pair{scatter_nd(x, i, u), scatter_nd(x, i, u, {.reduction = Combine::add})};
      },
      "(updated(a, b[:, 0], c), updated(a, b[:, 0], c, np.add))");
  g.add(
      "scatter_elements", {"f32[3,4]", "i64[1,4]=2,0,1,2", "f32[1,4]"},
      [](Var x, Var i, Var u) { return scatter_elements(x, i, u, {.axis = 0, .reduction = Combine::max}); },
      "updated(a, (b[0], np.arange(4)), c[0], np.maximum)");
  g.add(
      "segment_sum", {"f32[6,2]", "i64[6]=0,2,0,3,2,2"}, [](Var x, Var s) { return segment_sum(x, s, 5); },
      "segments(a, b, 5, np.add, 0)");
  g.add(
      "segment_prod", {"f32[6]", "i32[6]=0,2,0,3,2,2"}, [](Var x, Var s) { return segment_prod(x, s, 5); },
      "segments(a, b, 5, np.multiply, 1)");
  g.add(
      "segment_max", {"f32[6]", "i64[6]=0,2,0,3,2,2"}, [](Var x, Var s) { return segment_max(x, s, 5); },
      "segments(a, b, 5, np.maximum, -inf)");
  g.add(
      "segment_min", {"i32[6]", "i64[6]=0,2,0,3,2,2"}, [](Var x, Var s) { return segment_min(x, s, 5); },
      "segments(a, b, 5, np.minimum, 2**31 - 1)");
  g.add(
      "diag", {"f32[3]"},
      [](Var x) {
        return std::vector<Var>{diag(x), diag(x, {.k = 2}), diag(x, {.k = -1})};
      },
      "(np.diag(a), np.diag(a, 2), np.diag(a, -1))");
  g.add(
      "diag", {"i32[3,4]"}, [](Var x) { return diag(x, {.k = 1}); }, "np.diag(a, 1)");
  g.add(
      "diagflat", {"f32[2,2]"}, [](Var x) { return diagflat(x); }, "np.diagflat(a)");
  g.add(
      "tri", {}, [] { return tri(3, {.columns = 5, .k = 1, .dtype = i32}); }, "np.tri(3, 5, 1, 'i4')");
  g.add(
      "tril_indices", {}, [] { return tril_indices(4, {.k = 1}); }, "np.tril_indices(4, 1)");
  g.add(
      "triu_indices", {}, [] { return triu_indices(3, {.columns = 4}); }, "np.triu_indices(3, 0, 4)");
  g.add(
      "mgrid", {},
      [] {
        return mgrid({slice(3), slice(1, 9, 3)});
      },
      "tuple(np.mgrid[0:3, 1:9:3])");
  g.add(
      "ogrid", {"f32[2,3]"},
      [](Var x) {
        return ogrid({slice(x.dim(0)), slice(x.dim(1))});
      },
      "tuple(np.ogrid[0:2, 0:3])");
  g.add(
      "x[...]", {"f32[5,6]", "i64[]=-2"}, [](Var x, Var s) { return x[slice({}, {}, s)]; }, "a[::-2]");
  g.add(
      "x[...]", {"f32[5,6]", "i64[]=2"},
      [](Var x, Var s) {
        return x[{slice(1, {}, s), slice({}, 4, s)}];
      },
      "a[1::2, :4:2]");
  return g;
}

Group numpy_array_rows() {
  Group g{"NumPy: shapes, joins, sequences of numbers", {}};
  g.add(
      "fliplr", {"f32[2,3]"}, [](Var x) { return fliplr(x); }, "np.fliplr(a)");
  g.add(
      "flipud", {"f32[2,3]"}, [](Var x) { return flipud(x); }, "np.flipud(a)");
  g.add(
      "rot90", {"f32[2,3]"},
      [](Var x) {
        return std::vector<Var>{rot90(x), rot90(x, {.k = 2}), rot90(x, {.k = -1})};
      },
      "(np.rot90(a), np.rot90(a, 2), np.rot90(a, -1))");
  g.add(
      "rot90", {"f32[2,3,4]"},
      [](Var x) {
        return rot90(x, {.k = 5, .axes = {2, 0}});
      },
      "np.rot90(a, 5, (2, 0))");
  g.add(
      "swapaxes", {"f32[2,3,4]"}, [](Var x) { return swapaxes(x, 0, -1); }, "np.swapaxes(a, 0, -1)");
  g.add(
      "transpose", {"f32[2,3,4]"}, [](Var x) { return transpose(x); }, "np.transpose(a)");
  g.add(
      "transpose", {"f32[2,3,4]"},
      [](Var x) {
        return transpose(x, {1, 0, 2});
      },
      "np.transpose(a, (1, 0, 2))");
  g.add(
      "flatten", {"f32[2,3,4,5]"},
      [](Var x) {
        return std::pair{flatten(x, 1), flatten(x, 0, 1)};
      },
      "(a.reshape(2, 60), a.reshape(6, 4, 5))");
  g.add(
      "hstack", {"f32[3]", "f32[2]"},
      [](Var x, Var y) {
        return hstack({x, y});
      },
      "np.hstack([a, b])");
  g.add(
      "hstack", {"f32[3,2]", "f32[3,4]"},
      [](Var x, Var y) {
        return hstack({x, y});
      },
      "np.hstack([a, b])");
  g.add(
      "vstack", {"f32[3]", "f32[2,3]"},
      [](Var x, Var y) {
        return vstack({x, y});
      },
      "np.vstack([a, b])");
  g.add(
      "dstack", {"f32[3]", "f32[3]"},
      [](Var x, Var y) {
        return dstack({x, y});
      },
      "np.dstack([a, b])");
  g.add(
      "column_stack", {"f32[3]", "f32[3,2]"},
      [](Var x, Var y) {
        return column_stack({x, y});
      },
      "np.column_stack([a, b])");
  g.add(
       "array_split", {"f32[7]"}, [](Var x) { return array_split(x, 3); }, "np.array_split(a, 3)")
      .fixed = true;
  g.add(
      "atleast_1d", {"f32[]"}, [](Var x) { return atleast_1d(x); }, "np.atleast_1d(a)");
  g.add(
      "atleast_2d", {"f32[3]"}, [](Var x) { return atleast_2d(x); }, "np.atleast_2d(a)");
  g.add(
      "atleast_3d", {"f32[3]"}, [](Var x) { return atleast_3d(x); }, "np.atleast_3d(a)");
  g.add(
      "atleast_3d", {"f32[3,4]"}, [](Var x) { return atleast_3d(x); }, "np.atleast_3d(a)");
  g.add(
      "broadcast_shapes", {"f32[3,1]", "f32[4]"},
      [](Var x, Var y) {
        return zeros(broadcast_shapes({x.shape(), y.shape()}));
      },
      "np.zeros((3, 4), 'f4')");
  g.add(
      "append", {"f32[2,3]", "f32[1,3]"},
      [](Var x, Var y) {
        return std::pair{append(x, y), append(x, y, {.axis = 0})};
      },
      "(np.append(a, b), np.append(a, b, 0))");
  g.add(
      "insert", {"f32[3,4]", "f32[3]"},
      [](Var x, Var y) {
        return std::vector<Var>{insert(x, 1, y, {.axis = 1}), insert(x, 3, 9, {.axis = 0}), insert(x, -1, 5)};
      },
      "(np.insert(a, 1, b, 1), np.insert(a, 3, 9, 0), np.insert(a, -1, 5))");
  g.add(
      "delete_", {"f32[3,4]"},
      [](Var x) {
        return std::vector<Var>{delete_(x, 1, {.axis = 1}), delete_(x, -1, {.axis = 0}), delete_(x, 2)};
      },
      "(np.delete(a, 1, 1), np.delete(a, -1, 0), np.delete(a, 2))");
  g.add(
      "logspace", {}, [] { return logspace(-1, 2, 7); }, "np.logspace(-1, 2, 7, dtype='f4')");
  g.add(
      "geomspace", {}, [] { return geomspace(1, 1000, 4, {.dtype = f64}); }, "np.geomspace(1, 1000, 4)");
  g.add(
      "geomspace", {"f64[]{-4,-2}"}, [](Var x) { return geomspace(x, -100, 6, {.endpoint = false}); },
      "np.geomspace(a, -100, 6, endpoint=False)");
  g.add(
      "vander", {"f32[4]"},
      [](Var x) {
        return std::pair{vander(x, {.columns = 3}), vander(x, {.columns = 5, .increasing = true})};
      },
      "single((np.vander(a, 3), np.vander(a, 5, increasing=True)))");
  const auto padded = [&](auto f, std::string mode, std::string type = "f32[4,5]") {
    g.add("pad", {std::move(type)}, f, "np.pad(a, ((1, 3), (2, 6)), " + mode + ")");
  };
  padded([](Var x) { return pad(x, {{1, 3}, {2, 6}}, {.mode = PadKind::symmetric}); }, "'symmetric'", "i32[2,3]");
  padded(
      [](Var x) {
        return pad(x, {{1, 3}, {2, 6}}, {.mode = PadKind::linear_ramp, .value = 2});
      },
      "'linear_ramp', end_values=2");
  padded([](Var x) { return pad(x, {{1, 3}, {2, 6}}, {.mode = PadKind::mean}); }, "'mean'");
  padded([](Var x) { return pad(x, {{1, 3}, {2, 6}}, {.mode = PadKind::median}); }, "'median'");
  padded([](Var x) { return pad(x, {{1, 3}, {2, 6}}, {.mode = PadKind::maximum}); }, "'maximum'", "i64[4,5]");
  padded([](Var x) { return pad(x, {{1, 3}, {2, 6}}, {.mode = PadKind::minimum}); }, "'minimum'");
  return g;
}

}  // namespace tc::vocabulary
