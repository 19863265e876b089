#include "tc/ir/ops/matmul.h"

#include <algorithm>
#include <map>

#include "tc/ir/ops.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

// Fixed extents of a contraction must agree.
void expect_same(InferContext& ctx, int ia, int ib, const Dim& a, const Dim& b) {
  if (a.is_const() && b.is_const() && a != b)
    ctx.fail(ErrorCode::bad_shape, ctx.node().op(), " of ", ctx.type(ia), " and ", ctx.type(ib), ": ", a,
             " columns against ", b, " rows");
}

std::string without_spaces(const std::string& s) {
  std::string result;
  for (char c : s)
    if (c != ' ') result += c;
  return result;
}

// One operand's or the result's part of an equation: letters, with at most one ellipsis.
struct Term {
  std::string before, after;
  bool ellipsis = false;
};

Term parse_term(const std::string& text, const std::string& equation) {
  Term t;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') {
      if (t.ellipsis || text.compare(i, 3, "...") != 0)
        fail(ErrorCode::bad_attribute, "einsum equation '", equation, "': stray '.'");
      t.ellipsis = true;
      i += 2;
    } else if ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z')) {
      (t.ellipsis ? t.after : t.before) += text[i];
    } else {
      fail(ErrorCode::bad_attribute, "einsum equation '", equation, "': unexpected '", text[i], "'");
    }
  }
  return t;
}

}  // namespace

Shape matmul_shape(InferContext& ctx, int ia, int ib) {
  const Shape &a = ctx.shape(ia), &b = ctx.shape(ib);
  if (!a.ranked() || !b.ranked()) return {};
  if (a.rank() == 0 || b.rank() == 0)
    ctx.fail(ErrorCode::bad_shape, ctx.node().op(), " of scalars: ", ctx.type(ia), " and ", ctx.type(ib));
  const Dims &da = a.dims(), &db = b.dims();
  expect_same(ctx, ia, ib, da.back(), db.size() == 1 ? db[0] : db[db.size() - 2]);
  const Dims batch_a(da.begin(), da.end() - std::min<std::ptrdiff_t>(2, a.rank()));
  const Dims batch_b(db.begin(), db.end() - std::min<std::ptrdiff_t>(2, b.rank()));
  Dims dims = broadcast_dims(batch_a, batch_b);
  if (a.rank() > 1) dims.push_back(da[da.size() - 2]);
  if (b.rank() > 1) dims.push_back(db.back());
  return Shape(std::move(dims));
}

void MatMul::infer(InferContext& ctx) {
  ctx.set(0, matmul_shape(ctx, 0, 1));
}

void MatMulInteger::infer(InferContext& ctx) {
  ctx.set(0, matmul_shape(ctx, 0, 1));
}

void Gemm::infer(InferContext& ctx) {
  ctx.expect_rank(0, 2);
  ctx.expect_rank(1, 2);
  const auto& attrs = ctx.attrs<Gemm>();
  const Shape &a = ctx.shape(0), &b = ctx.shape(1);
  Dims dims{a.ranked() ? a[attrs.trans_a ? 1 : 0] : ctx.fresh(), b.ranked() ? b[attrs.trans_b ? 0 : 1] : ctx.fresh()};
  if (a.ranked() && b.ranked()) expect_same(ctx, 0, 1, a[attrs.trans_a ? 0 : 1], b[attrs.trans_b ? 1 : 0]);
  const Shape result(dims);
  if (ctx.has(2) && ctx.shape(2).ranked()) {
    const Shape& c = ctx.shape(2);
    bool fits = c.rank() <= 2;
    for (int i = 0; i < c.rank() && fits; ++i) {
      const Dim &x = c[i], &y = result[2 - c.rank() + i];
      fits = !x.is_const() || x.is(1) || !y.is_const() || x == y;
    }
    if (!fits) ctx.fail(ErrorCode::bad_shape, "operand 'c' of gemm, ", c, ", does not broadcast to ", result);
  }
  ctx.set(0, result);
}

EinsumLabels parse_einsum(const std::string& equation, const std::vector<int>& ranks) {
  const std::string text = without_spaces(equation);
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  std::vector<Term> terms;
  for (size_t start = 0; start <= left.size();) {
    const size_t comma = std::min(left.find(',', start), left.size());
    terms.push_back(parse_term(left.substr(start, comma - start), equation));
    start = comma + 1;
  }
  if (terms.size() != ranks.size())
    fail(ErrorCode::bad_attribute, "einsum equation '", equation, "' names ", terms.size(), " operands, got ",
         ranks.size());

  EinsumLabels labels;
  std::map<char, int> letters;
  std::map<char, int> uses;
  int ellipsis_rank = 0;
  for (size_t k = 0; k < terms.size(); ++k) {
    const Term& t = terms[k];
    const int letters_here = static_cast<int>(t.before.size() + t.after.size());
    if (t.ellipsis ? ranks[k] < letters_here : ranks[k] != letters_here)
      fail(ErrorCode::bad_shape, "einsum equation '", equation, "': operand ", k, " has rank ", ranks[k]);
    if (t.ellipsis) ellipsis_rank = std::max(ellipsis_rank, ranks[k] - letters_here);
    for (char c : t.before + t.after) {
      letters.emplace(c, static_cast<int>(letters.size()));
      ++uses[c];
    }
  }
  // Labels of ellipsis axes follow those of letters and are aligned at the right.
  const int first = static_cast<int>(letters.size());
  labels.count = first + ellipsis_rank;
  auto resolve = [&](const Term& t, int ellipsis_axes) {
    std::vector<int> axes;
    for (char c : t.before) axes.push_back(letters.at(c));
    for (int i = ellipsis_rank - ellipsis_axes; t.ellipsis && i < ellipsis_rank; ++i) axes.push_back(first + i);
    for (char c : t.after) axes.push_back(letters.at(c));
    return axes;
  };
  for (size_t k = 0; k < terms.size(); ++k)
    labels.operands.push_back(
        resolve(terms[k], ranks[k] - static_cast<int>(terms[k].before.size() + terms[k].after.size())));

  Term result;
  if (arrow == text.npos) {
    // Implicit form: ellipsis axes, then the letters used once, in alphabetical order.
    result.ellipsis = true;
    for (const auto& [c, n] : uses)
      if (n == 1) result.after += c;
  } else {
    result = parse_term(text.substr(arrow + 2), equation);
    if (ellipsis_rank > 0 && !result.ellipsis)
      fail(ErrorCode::bad_attribute, "einsum equation '", equation,
           "': the operands have axes under '...', the result must have it, too");
    for (char c : result.before + result.after) {
      if (!letters.count(c))
        fail(ErrorCode::bad_attribute, "einsum equation '", equation, "': no operand has '", c, "'");
      if (std::count(result.before.begin(), result.before.end(), c) +
              std::count(result.after.begin(), result.after.end(), c) >
          1)
        fail(ErrorCode::bad_attribute, "einsum equation '", equation, "': '", c, "' twice in the result");
    }
  }
  labels.result = resolve(result, ellipsis_rank);
  return labels;
}

void Einsum::infer(InferContext& ctx) {
  std::vector<int> ranks;
  for (int i = 0; i < ctx.num_operands(); ++i) {
    if (!ctx.shape(i).ranked()) return ctx.set(0, Shape());
    ranks.push_back(ctx.shape(i).rank());
  }
  const std::string& equation = ctx.attrs<Einsum>().equation;
  const EinsumLabels labels = parse_einsum(equation, ranks);
  Dims extents(static_cast<size_t>(labels.count), Dim(1));
  for (int i = 0; i < ctx.num_operands(); ++i)
    for (int axis = 0; axis < ranks[static_cast<size_t>(i)]; ++axis) {
      Dim& e = extents[static_cast<size_t>(labels.operands[static_cast<size_t>(i)][static_cast<size_t>(axis)])];
      const Dim& d = ctx.shape(i)[axis];
      if (e.is_const() && d.is_const() && !e.is(1) && !d.is(1) && e != d)
        ctx.fail(ErrorCode::bad_shape, "einsum '", equation, "': axis ", axis, " of operand ", i, " is ", d,
                 ", elsewhere ", e);
      e = broadcast(e, d);
    }
  Dims dims;
  for (int label : labels.result) dims.push_back(extents[static_cast<size_t>(label)]);
  ctx.set(0, Shape(std::move(dims)));
}

}  // namespace tc
