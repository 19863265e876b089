#include "vocabulary.h"

namespace tc::vocabulary {

Group creation_rows() {
  Group g{"Creation", {}};
  g.add(
      "arange", {}, [] { return arange(5); }, "np.arange(5)");
  g.add(
      "arange", {}, [] { return arange(2, 9); }, "np.arange(2, 9)");
  g.add(
      "arange", {}, [] { return arange(9, 2, -3); }, "np.arange(9, 2, -3)");
  g.add(
      "arange", {}, [] { return arange(0.5, 3.2, 0.5); }, "np.arange(0.5, 3.2, 0.5, dtype='f4')");
  g.add(
      "arange", {}, [] { return arange(3, {.dtype = u8}); }, "np.arange(3, dtype='u1')");
  g.add(
      "arange", {"i32[]=7"}, [](Var n) { return arange(1, n); }, "np.arange(1, 7, dtype='i4')");
  g.add(
      "arange", {"f32[4,3]"}, [](Var x) { return arange(x.dim(0)); }, "np.arange(4)");
  g.add(
      "asarray", {},
      [] {
        return asarray(Tensor::of<float>({2}, {1, 2}));
      },
      "np.float32([1, 2])");
  g.add(
      "asarray", {}, [] { return asarray(3); }, "np.int64(3)");
  g.add(
      "asarray", {}, [] { return asarray(2.5); }, "np.float32(2.5)");
  g.add(
      "asarray", {"i32[3]"}, [](Var x) { return asarray(x, {.dtype = f64}); }, "a.astype('f8')");
  g.add(
      "empty", {},
      [] {
        return empty({2, 3});
      },
      "np.zeros((2, 3), 'f4')");
  g.add(
      "empty_like", {"i32[2,3]"}, [](Var x) { return empty_like(x); }, "np.zeros((2, 3), 'i4')");
  g.add(
      "eye", {}, [] { return eye(3); }, "np.eye(3, dtype='f4')");
  g.add(
      "eye", {}, [] { return eye(3, {.columns = 5, .k = 1, .dtype = i32}); }, "np.eye(3, 5, 1, dtype='i4')");
  g.add(
      "eye", {"f64[4]"}, [](Var x) { return eye(x.dim(0), {.k = -1, .dtype = f64}); }, "np.eye(4, k=-1)");
  g.add(
      "full", {},
      [] {
        return full({2, 3}, 7);
      },
      "np.full((2, 3), 7)");
  g.add(
      "full", {}, [] { return full({}, 1.5, {.dtype = f64}); }, "np.full((), 1.5)");
  g.add(
      "full", {}, [] { return full({2}, true); }, "np.full(2, True)");
  g.add(
      "full", {"f32[]", "f32[2,3]"},
      [](Var v, Var x) {
        return full({x.dim(1), 2}, v);
      },
      "np.full((3, 2), a)");
  g.add(
      "full_like", {"i8[2,3]"}, [](Var x) { return full_like(x, 5); }, "np.full_like(a, 5)");
  g.add(
      "linspace", {}, [] { return linspace(0, 1, 5); }, "np.linspace(0, 1, 5, dtype='f4')");
  g.add(
      "linspace", {}, [] { return linspace(-3.0, 7.5, 8, {.dtype = f64, .endpoint = false}); },
      "np.linspace(-3, 7.5, 8, endpoint=False)");
  g.add(
      "linspace", {}, [] { return linspace(2, 3, 1); }, "np.linspace(2, 3, 1, dtype='f4')");
  g.add(
      "linspace", {"f64[]", "f64[]"}, [](Var x, Var y) { return linspace(x, y, 7); }, "np.linspace(a, b, 7)");
  g.add(
      "meshgrid", {"f32[2]", "f32[3]", "f32[4]"},
      [](Var a, Var b, Var c) {
        return meshgrid({a, b, c});
      },
      "np.meshgrid(a, b, c)");
  g.add(
      "meshgrid", {"i32[2]", "i32[3]"},
      [](Var a, Var b) {
        return meshgrid({a, b}, {.indexing = MeshIndexing::ij});
      },
      "np.meshgrid(a, b, indexing='ij')");
  g.add(
      "ones", {},
      [] {
        return ones({2, 3}, {.dtype = i16});
      },
      "np.ones((2, 3), 'i2')");
  g.add(
      "ones_like", {"bool[2,3]"}, [](Var x) { return ones_like(x); }, "np.ones_like(a)");
  g.add(
      "zeros", {},
      [] {
        return zeros({0, 3});
      },
      "np.zeros((0, 3), 'f4')");
  g.add(
      "zeros", {"f32[2,5]"},
      [](Var x) {
        return zeros({x.dim(1) * 2 + 1, x.dim(0)});
      },
      "np.zeros((11, 2), 'f4')");
  g.add(
      "zeros", {"i64[3]=2,3,1"}, [](Var shape) { return zeros(shape); }, "np.zeros((2, 3, 1), 'f4')");
  g.add(
      "zeros_like", {"f64[2,3]"}, [](Var x) { return zeros_like(x, {.dtype = u32}); }, "np.zeros((2, 3), 'u4')");
  g.add(
      "tril", {"f32[3,4]"}, [](Var x) { return tril(x); }, "np.tril(a)");
  g.add(
      "tril", {"i32[2,3,4]"}, [](Var x) { return tril(x, {.k = 1}); }, "np.tril(a, 1)");
  g.add(
      "triu", {"f32[4,3]"}, [](Var x) { return triu(x); }, "np.triu(a)");
  g.add(
      "triu", {"bool[4,3]"}, [](Var x) { return triu(x, {.k = -1}); }, "np.triu(a, -1)");
  g.add(
      "shape_of", {"f32[4,3]"}, [](Var x) { return shape_of(x); }, "np.array(a.shape)");
  return g;
}

Group manipulation_rows() {
  Group g{"Manipulation", {}};
  g.add(
      "broadcast_arrays", {"f32[3,1]", "i32[4]"},
      [](Var x, Var y) {
        return broadcast_arrays({x, y});
      },
      "np.broadcast_arrays(a, b)");
  g.add(
      "broadcast_to", {"f32[3,1]"},
      [](Var x) {
        return broadcast_to(x, {2, 3, 4});
      },
      "np.broadcast_to(a, (2, 3, 4))");
  g.add(
      "broadcast_to", {"f32[]", "f32[4,3]"}, [](Var x, Var y) { return broadcast_to(x, y.shape()); },
      "np.broadcast_to(a, (4, 3))");
  g.add(
      "concat", {"f32[2,3]", "f32[2,4]"},
      [](Var x, Var y) {
        return concat({x, y}, {.axis = 1});
      },
      "concat([a, b], 1)");
  g.add(
      "concat", {"i8[2,3]", "u8[1,3]"},
      [](Var x, Var y) {
        return concat({x, y});
      },
      "concat([a, b])");
  g.add(
      "concat", {"f32[2,3]", "f64[4]"},
      [](Var x, Var y) {
        return concat({x, y}, {.axis = {}});
      },
      "concat([a, b], None)");
  g.add(
      "expand_dims", {"f32[2,3]"}, [](Var x) { return expand_dims(x, 1); }, "np.expand_dims(a, 1)");
  g.add(
      "expand_dims", {"f32[2,3]"},
      [](Var x) {
        return expand_dims(x, {0, -1});
      },
      "np.expand_dims(a, (0, -1))");
  g.add(
      "flatten", {"f32[2,3]"}, [](Var x) { return flatten(x); }, "a.ravel()");
  g.add(
      "flip", {"f32[2,3]"}, [](Var x) { return flip(x); }, "np.flip(a)");
  g.add(
      "flip", {"i64[2,3,2]"},
      [](Var x) {
        return flip(x, {.axis = {0, -1}});
      },
      "np.flip(a, (0, -1))");
  g.add(
      "moveaxis", {"f32[2,3,4]"}, [](Var x) { return moveaxis(x, 0, -1); }, "np.moveaxis(a, 0, -1)");
  g.add(
      "moveaxis", {"f32[2,3,4,5]"},
      [](Var x) {
        return moveaxis(x, {3, 0}, {0, 2});
      },
      "np.moveaxis(a, (3, 0), (0, 2))");
  g.add(
      "permute_dims", {"f32[2,3,4]"},
      [](Var x) {
        return permute_dims(x, {2, 0, 1});
      },
      "permute_dims(a, (2, 0, 1))");
  g.add(
      "pad", {"f32[2,3]"},
      [](Var x) {
        return pad(x, {{1, 2}, {0, 1}}, {.value = 5});
      },
      "np.pad(a, ((1, 2), (0, 1)), constant_values=5)");
  g.add(
      "pad", {"i32[4,5]"},
      [](Var x) {
        return pad(x, {{2, 1}}, {.mode = PadKind::reflect});
      },
      "np.pad(a, ((0, 0), (2, 1)), mode='reflect')");
  g.add(
      "pad", {"f32[4,5]"},
      [](Var x) {
        return pad(x, {{2, 1}}, {.mode = PadKind::edge});
      },
      "np.pad(a, ((0, 0), (2, 1)), mode='edge')");
  g.add(
      "repeat", {"f32[2,3]"}, [](Var x) { return repeat(x, 2, {.axis = 1}); }, "np.repeat(a, 2, 1)");
  g.add(
      "repeat", {"f32[2,3]"}, [](Var x) { return repeat(x, 3); }, "np.repeat(a, 3)");
  g.add(
      "repeat", {"f32[2,4]", "i64[4]=2,0,3,1"}, [](Var x, Var n) { return repeat(x, n, {.axis = 1}); },
      "np.repeat(a, b, 1)");
  g.add(
      "repeat", {"f32[2,4]", "i32[]=2"}, [](Var x, Var n) { return repeat(x, n, {.axis = 0}); }, "np.repeat(a, 2, 0)");
  g.add(
      "reshape", {"f32[4,6]"},
      [](Var x) {
        return reshape(x, {3, -1});
      },
      "a.reshape(3, -1)");
  g.add(
       "reshape", {"f32[4,6]"},
       [](Var x) {
         return reshape(x, {x.dim(0), 2, 3});
       },
       "a.reshape(4, 2, 3)")
      .fixed = true;
  g.add(
      "reshape", {"f32[4,6]"},
      [](Var x) {
        return reshape(x, {x.dim(1), x.dim(0)});
      },
      "a.reshape(6, 4)");
  g.add(
      "reshape", {"f32[4,6]"}, [](Var x) { return reshape(x, {x.dim(0) * x.dim(1)}); }, "a.reshape(24)");
  g.add(
      "reshape", {"f32[4,6]", "i64[]=8"},
      [](Var x, Var n) {
        return reshape(x, {n, 3});
      },
      "a.reshape(8, 3)");
  g.add(
      "reshape", {"f32[0,6]"},
      [](Var x) {
        return reshape(x, {2, 0});
      },
      "a.reshape(2, 0)");
  g.add(
      "roll", {"f32[5]"}, [](Var x) { return roll(x, 2); }, "np.roll(a, 2)");
  g.add(
      "roll", {"f32[3,4]"}, [](Var x) { return roll(x, -5); }, "np.roll(a, -5)");
  g.add(
      "roll", {"i32[3,4]"}, [](Var x) { return roll(x, 7, {.axis = 1}); }, "np.roll(a, 7, 1)");
  g.add(
      "roll", {"f32[3,4]"},
      [](Var x) {
        return roll(x, {1, -1}, {.axis = {0, 1}});
      },
      "np.roll(a, (1, -1), (0, 1))");
  g.add(
      "roll", {"f32[0]"}, [](Var x) { return roll(x, 2); }, "a");
  g.add(
      "split", {"f32[2,6]"},
      [](Var x) {
        return split(x, {1, 2, 3}, {.axis = 1});
      },
      "np.split(a, (1, 3), 1)");
  g.add(
      "squeeze", {"f32[1,3,1]"},
      [](Var x) {
        return squeeze(x, {0, -1});
      },
      "a.reshape(3)");
  g.add(
      "squeeze", {"f32[2,1,3]"}, [](Var x) { return squeeze(x, 1); }, "a.reshape(2, 3)");
  g.add(
      "stack", {"f32[2,3]", "f32[2,3]"},
      [](Var x, Var y) {
        return stack({x, y}, {.axis = -1});
      },
      "np.stack([a, b], -1)");
  g.add(
      "stack", {"i32[3]", "i64[3]"},
      [](Var x, Var y) {
        return stack({x, y, x});
      },
      "np.stack([a, b, a])");
  g.add(
      "tile", {"f32[2,3]"},
      [](Var x) {
        return tile(x, {2, 1});
      },
      "np.tile(a, (2, 1))");
  g.add(
      "tile", {"f32[2,3]"}, [](Var x) { return tile(x, {2}); }, "np.tile(a, 2)");
  g.add(
      "tile", {"f32[3]"},
      [](Var x) {
        return tile(x, {2, 1, 2});
      },
      "np.tile(a, (2, 1, 2))");
  g.add(
       "unstack", {"f32[3,2]"}, [](Var x) { return unstack(x); }, "tuple(a)")
      .fixed = true;
  g.add(
      "unstack", {"f32[2,1]"}, [](Var x) { return unstack(x, {.axis = 1}); }, "(a[:, 0],)");
  g.add(
       "depth_to_space", {"f32[1,8,2,3]"}, [](Var x) { return depth_to_space(x, 2); },
       "a.reshape(1, 2, 2, 2, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(1, 2, 4, 6)")
      .fixed = true;
  g.add(
       "space_to_depth", {"f32[1,2,4,6]"}, [](Var x) { return space_to_depth(x, 2); },
       "a.reshape(1, 2, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 8, 2, 3)")
      .fixed = true;
  return g;
}

Group indexing_rows() {
  Group g{"Indexing", {}};
  const auto x = [&](auto f, std::string numpy, std::string type = "f32[5,6,7]") {
    g.add("x[...]", {std::move(type)}, f, std::move(numpy));
  };
  x([](Var a) { return a[0]; }, "a[0]");
  x([](Var a) { return a[-1]; }, "a[-1]");
  x([](Var a) { return a[{1, -2, 3}]; }, "a[1, -2, 3]");
  x([](Var a) { return a[slice(1, 4)]; }, "a[1:4]");
  x([](Var a) { return a[{slice({}, {}, -1), slice(-2, {}), slice(5, 1, -2)}]; }, "a[::-1, -2:, 5:1:-2]");
  x([](Var a) { return a[{slice(100, -100, -3), ellipsis, slice({}, 100)}]; }, "a[100:-100:-3, ..., :100]");
  x([](Var a) { return a[{ellipsis, 0}]; }, "a[..., 0]");
  x([](Var a) { return a[{ellipsis, slice(2, 2)}]; }, "a[..., 2:2]");
  x([](Var a) { return a[{newaxis, 1, ellipsis, newaxis, slice(0, 2)}]; }, "a[None, 1, ..., None, 0:2]");
  x([](Var a) { return a[{slice({}, {}), newaxis}]; }, "a[:, None]");
  x([](Var a) { return Var(a.at(2, slice(1, {}))); }, "a[2, 1:]");
  x([](Var a) { return a[{slice({}, {}), slice(0, a.dim(1) - 1)}]; }, "a[:, 0:5]");
  g.add(
      "x[...]", {"f32[5,6]", "i64[]=2"}, [](Var a, Var i) { return a[i]; }, "a[b]");
  g.add(
      "x[...]", {"f32[5,6]", "i32[]=-2"},
      [](Var a, Var i) {
        return a[{slice({}, {}), i}];
      },
      "a[:, b]");
  g.add(
      "x[...]", {"f32[5,6]", "i64[]=1", "i64[]=-1"},
      [](Var a, Var i, Var j) {
        return a[{slice(i, j), slice(j, {})}];
      },
      "a[1:-1, -1:]");
  g.add(
      "x[...]", {"f32[5,6]", "i64[]=4", "i64[]=-2"}, [](Var a, Var i, Var s) { return a[slice(i, 0, s)]; },
      "a[4:0:-2]");
  g.add(
      "x[...]", {"f32[5,6]", "i64[4]=0,-1,2,2"}, [](Var a, Var i) { return a[i]; }, "a[b]");
  g.add(
      "x[...]", {"f32[5,6]", "i32[2,2]=0,-1,2,2"},
      [](Var a, Var i) {
        return a[{slice(1, 3), i}];
      },
      "a[1:3, b]");
  g.add(
      "x[...]", {"f32[5,6,7]", "i64[3,1]=0,-1,2", "i64[2]=3,1"},
      [](Var a, Var i, Var j) {
        return a[{i, j}];
      },
      "a[b, c]");
  g.add(
      "x[...]", {"f32[5,6,7]", "i64[3]=0,-1,2", "i64[3]=3,1,0"},
      [](Var a, Var i, Var j) {
        return a[{slice({}, {}), i, j}];
      },
      "a[:, b, c]");
  g.add(
      "x[...]", {"f32[5,6,7]", "i64[3]=0,-1,2", "i64[3]=3,1,0"},
      [](Var a, Var i, Var j) {
        return a[{i, slice(0, 4), j}];
      },
      "a[b, 0:4, c]");
  g.add(
      "x[...]", {"f32[5,6,7]", "i64[3]=0,-1,2"},
      [](Var a, Var i) {
        return a[{0, slice({}, {}), i}];
      },
      "a[0, :, b]");
  g.add(
      "x[...]", {"f32[5,6,7]", "i64[3]=0,-1,2"},
      [](Var a, Var i) {
        return a[{newaxis, i, newaxis, 1}];
      },
      "a[None, b, None, 1]");
  g.add(
      "x[...]", {"f32[5,6]", "bool[5]=1,0,0,1,1"}, [](Var a, Var m) { return a[m]; }, "a[b]");
  g.add(
      "x[...]", {"f32[5,6]", "bool[6]"},
      [](Var a, Var m) {
        return a[{ellipsis, m}];
      },
      "a[..., b]");
  g.add(
      "x[...]", {"f32[5,6]", "bool[5,6]"}, [](Var a, Var m) { return a[m]; }, "a[b]");
  g.add(
      "x[...]", {"f32[4,5,6]", "bool[5,6]"},
      [](Var a, Var m) {
        return a[{slice(1, {}), m}];
      },
      "a[1:, b]");
  g.add(
      "x[...]", {"f32[5,6]", "bool[5]=0,0,0,0,0"}, [](Var a, Var m) { return a[m]; }, "a[b]");
  g.add(
      "x[...]", {"f32[3,4]", "bool[3]=1,0,1", "i64[2]=0,3"},
      [](Var a, Var m, Var i) {
        return a[{m, i}];
      },
      "a[b, c]");

  const auto set = [&](auto f, std::string index, std::vector<std::string> inputs = {"f32[5,6,7]"},
                       std::string value = "9") {
    g.add("x.at(...).set", std::move(inputs), f, "updated(a, np.s_[" + index + "], " + value + ")");
  };
  set([](Var a) { return a.at(0).set(9); }, "0");
  set([](Var a) { return a.at(slice(1, {})).set(9); }, "1:");
  set([](Var a) { return a.at(ellipsis, -1).set(9); }, "..., -1");
  set([](Var a) { return a.at(slice({}, {}, -2), 1, slice(2, 5)).set(9); }, "::-2, 1, 2:5");
  set([](Var a) { return a.at(ellipsis).set(9); }, "...");
  set([](Var a, Var v) { return a.at(slice(1, 3), slice({}, {}), newaxis, slice(0, 4)).set(v); }, "1:3, :, None, 0:4",
      {"f32[5,6,7]", "f32[6,1,4]"}, "b");
  set([](Var a, Var m) { return a.at(m).set(9); }, "b", {"f32[5,6]", "bool[5,6]"});
  set([](Var a, Var m) { return a.at(slice({}, {}), m).set(9); }, ":, b", {"f32[5,6]", "bool[6]"});
  set([](Var a, Var m, Var v) { return a.at(m).set(v); }, "b", {"f32[5,6]", "bool[5]=1,0,1,0,0", "f32[2,6]"}, "c");
  set([](Var a, Var i, Var v) { return a.at(i).set(v); }, "b", {"f32[5,6]", "i64[2]=3,-5", "f32[2,6]"}, "c");
  set([](Var a, Var i, Var v) { return a.at(slice(0, 2), i).set(v); }, "0:2, b",
      {"f32[5,6]", "i32[2]=3,-5", "f32[2,2]"}, "c");
  set([](Var a, Var i, Var v) { return a.at(i, slice(1, 4), i).set(v); }, "b, 1:4, b",
      {"f32[5,6,7]", "i64[2]=3,-5", "f32[2,3]"}, "c");
  set([](Var a, Var i, Var v) { return a.at(slice(i, i + 2)).set(v); }, "b:b+2", {"f32[5,6]", "i64[]=2", "f32[2,6]"},
      "c");
  g.add(
      "x.at(...).add", {"f32[5,6]", "i64[4]=1,1,0,1"}, [](Var a, Var i) { return a.at(i).add(2); },
      "updated(a, b, 2, np.add)");
  g.add(
      "x.at(...).add", {"i32[5,6]"}, [](Var a) { return a.at(slice(1, 3)).add(2); },
      "updated(a, np.s_[1:3], 2, np.add)");
  g.add(
      "x.at(...).add", {"f32[5,6]", "bool[5]"}, [](Var a, Var m) { return a.at(m).add(2); },
      "updated(a, b, 2, np.add)");
  g.add(
      "x.at(...).multiply", {"f32[5,6]", "i64[3]=1,1,0"}, [](Var a, Var i) { return a.at(i).multiply(3); },
      "updated(a, b, np.float32(3), np.multiply)");
  g.add(
      "x.at(...).min", {"f32[5,6]", "f32[6]"}, [](Var a, Var v) { return a.at(slice(0, 3)).min(v); },
      "updated(a, np.s_[0:3], b, np.minimum)");
  g.add(
      "x.at(...).max", {"f32[5,6]", "f32[]"}, [](Var a, Var v) { return a.at(ellipsis, slice(0, 3)).max(v); },
      "updated(a, np.s_[..., 0:3], b, np.maximum)");
  g.add(
      "take", {"f32[5,6]", "i64[2,2]=0,-1,4,3"}, [](Var x_, Var i) { return take(x_, i, {.axis = 1}); },
      "np.take(a, b, 1)");
  g.add(
      "take", {"i32[5]", "u8[2]=4,0"}, [](Var x_, Var i) { return take(x_, i); }, "np.take(a, b)");
  g.add(
      "take_along_axis", {"f32[3,4]", "i64[3,2]{0,3}"}, [](Var x_, Var i) { return take_along_axis(x_, i); },
      "np.take_along_axis(a, b, -1)");
  g.add(
      "take_along_axis", {"f32[3,4]", "i64[5,1]{0,2}"},
      [](Var x_, Var i) { return take_along_axis(x_, i, {.axis = 0}); },
      "np.take_along_axis(a, np.broadcast_to(b, (5, 4)), 0)");
  return g;
}

}  // namespace tc::vocabulary
