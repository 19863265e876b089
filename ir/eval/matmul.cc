#include "tc/ir/ops/matmul.h"

#include <set>

#include "tc/ir/eval/matmul.h"
#include "tc/ir/eval/wrap.h"

namespace tc {
namespace {

// Integers of every kind multiply as unsigned words: sums and products wrap alike.
template <class F>
void visit_ring(DType t, F&& f) {
  if (kind(t) == DTypeKind::floating)
    f.template operator()<double>();
  else
    f.template operator()<uint64_t>();
}

template <class W>
std::vector<W> transposed(const std::vector<W>& x, int64_t rows, int64_t columns) {
  std::vector<W> y(x.size());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      y[static_cast<size_t>(j * rows + i)] = x[static_cast<size_t>(i * columns + j)];
  return y;
}

// An operand of an einsum: its elements and the stride of each label (0 where it has none).
template <class W>
struct Labelled {
  std::vector<W> values;
  std::set<int> labels;
  Extents strides;
};

// Sums products of a and b over the labels that are not kept.
template <class W>
Labelled<W> contract(const Labelled<W>& a, const Labelled<W>& b, const std::vector<int>& kept, const Extents& extents) {
  Labelled<W> c;
  c.labels.insert(kept.begin(), kept.end());
  c.strides.assign(extents.size(), 0);
  Extents kept_extents, loop;
  for (int l : kept) kept_extents.push_back(extents[static_cast<size_t>(l)]);
  const Extents own = row_major_strides(kept_extents);
  std::array<Extents, 3> strides;
  auto add_loop = [&](int l) {
    const auto k = static_cast<size_t>(l);
    loop.push_back(extents[k]);
    strides[0].push_back(a.strides[k]);
    strides[1].push_back(b.strides[k]);
    strides[2].push_back(c.strides[k]);
  };
  for (size_t i = 0; i < kept.size(); ++i) {
    c.strides[static_cast<size_t>(kept[i])] = extents[static_cast<size_t>(kept[i])] == 1 ? 0 : own[i];
    add_loop(kept[i]);
  }
  for (int l = 0; l < static_cast<int>(extents.size()); ++l)
    if (!c.labels.count(l) && (a.labels.count(l) || b.labels.count(l))) add_loop(l);
  c.values.assign(static_cast<size_t>(element_count(kept_extents)), W(0));
  for_each_broadcast<3>(loop, strides, [&](size_t, const auto& at) {
    c.values[static_cast<size_t>(at[2])] += a.values[static_cast<size_t>(at[0])] * b.values[static_cast<size_t>(at[1])];
  });
  return c;
}

}  // namespace

template <>
void eval<MatMul>(EvalContext& ctx) {
  const MatMulShape s(ctx.in(0).extents(), ctx.in(1).extents());
  Tensor& out = ctx.out(0, s.result);
  visit_ring(ctx.in(0).dtype(), [&]<class W>() { narrow(multiply(s, ctx.read<W>(0), ctx.read<W>(1)), out); });
}

template <>
void eval<MatMulInteger>(EvalContext& ctx) {
  const MatMulShape s(ctx.in(0).extents(), ctx.in(1).extents());
  Tensor& out = ctx.out(0, s.result);
  narrow(multiply(s, without_zero_point<uint64_t>(ctx, 0, 2, true), without_zero_point<uint64_t>(ctx, 1, 3, false)),
         out);
}

template <>
void eval<Gemm>(EvalContext& ctx) {
  const auto& attrs = ctx.attrs<Gemm>();
  Extents ea = ctx.in(0).extents(), eb = ctx.in(1).extents();
  if (ea.size() != 2 || eb.size() != 2)
    ctx.fail(ErrorCode::bad_shape, "gemm takes matrices, got ", ctx.in(0).type(), " and ", ctx.in(1).type());
  visit_ring(ctx.in(0).dtype(), [&]<class W>() {
    auto a = ctx.read<W>(0), b = ctx.read<W>(1);
    if (attrs.trans_a) a = transposed(a, ea[0], ea[1]), std::swap(ea[0], ea[1]);
    if (attrs.trans_b) b = transposed(b, eb[0], eb[1]), std::swap(eb[0], eb[1]);
    const MatMulShape s(ea, eb);
    Tensor& out = ctx.out(0, s.result);
    auto y = multiply(s, a, b);
    // Integers are scaled as reals, and truncated.
    auto scale = [](W v, double factor) {
      if constexpr (std::is_integral_v<W>)
        return factor == 1 ? v : static_cast<W>(saturated_int(factor * static_cast<double>(static_cast<int64_t>(v))));
      else
        return factor * v;
    };
    for (W& v : y) v = scale(v, attrs.alpha);
    if (ctx.has(2)) {
      const auto c = ctx.read<W>(2);
      const Extents& ec = ctx.in(2).extents();
      if (broadcast_extents({&s.result, &ec}) != s.result)
        ctx.fail(ErrorCode::bad_shape, "operand 'c' of gemm, ", Shape::of(ec), ", does not broadcast to ",
                 Shape::of(s.result));
      for_each_broadcast<1>(s.result, {broadcast_strides(ec, s.result)}, [&](size_t i, const auto& at) {
        y[i] += scale(c[static_cast<size_t>(at[0])], attrs.beta);
      });
    }
    narrow(y, out);
  });
}

template <>
void eval<Einsum>(EvalContext& ctx) {
  std::vector<int> ranks;
  for (int i = 0; i < ctx.num_operands(); ++i) ranks.push_back(ctx.in(i).rank());
  const std::string& equation = ctx.attrs<Einsum>().equation;
  const EinsumLabels labels = parse_einsum(equation, ranks);
  Extents extents(static_cast<size_t>(labels.count), 1);
  for (size_t i = 0; i < ranks.size(); ++i)
    for (size_t axis = 0; axis < labels.operands[i].size(); ++axis) {
      int64_t& e = extents[static_cast<size_t>(labels.operands[i][axis])];
      const int64_t d = ctx.in(static_cast<int>(i)).extent(static_cast<int>(axis));
      if (e != 1 && d != 1 && e != d)
        ctx.fail(ErrorCode::bad_shape, "einsum '", equation, "': axis ", axis, " of operand ", i, " is ", d,
                 ", elsewhere ", e);
      if (d != 1) e = d;
    }
  visit_ring(ctx.in(0).dtype(), [&]<class W>() {
    // From left to right; a label is summed away as soon as neither the result nor a later operand has it.
    Labelled<W> sum{{W(1)}, {}, Extents(extents.size(), 0)};
    for (size_t i = 0; i < ranks.size(); ++i) {
      const Tensor& t = ctx.in(static_cast<int>(i));
      Labelled<W> x{ctx.read<W>(static_cast<int>(i)), {}, Extents(extents.size(), 0)};
      const Extents strides = row_major_strides(t.extents());
      for (size_t axis = 0; axis < strides.size(); ++axis) {
        x.labels.insert(labels.operands[i][axis]);
        if (t.extent(static_cast<int>(axis)) != 1)
          x.strides[static_cast<size_t>(labels.operands[i][axis])] += strides[axis];
      }
      std::vector<int> kept = labels.result;
      if (i + 1 < ranks.size()) {
        std::set<int> later(labels.result.begin(), labels.result.end());
        for (size_t k = i + 1; k < ranks.size(); ++k)
          later.insert(labels.operands[k].begin(), labels.operands[k].end());
        kept.clear();
        for (int l : later)
          if (sum.labels.count(l) || x.labels.count(l)) kept.push_back(l);
      }
      sum = contract(sum, x, kept, extents);
    }
    Extents result;
    for (int l : labels.result) result.push_back(extents[static_cast<size_t>(l)]);
    ctx.write(0, result, sum.values);
  });
}

}  // namespace tc
