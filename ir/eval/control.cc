#include <limits>
#include <map>

#include "tc/ir/builder.h"
#include "tc/ir/eval/eval.h"
#include "tc/ir/eval/move.h"

namespace tc {
namespace {

bool truth(EvalContext& ctx, const Datum& d) {
  if (!d.is_tensor() || d.tensor().size() != 1) ctx.fail(ErrorCode::bad_shape, "a condition must be one element");
  return to_i64(d.tensor())[0] != 0;
}

// The shape of result `j` as far as it follows from the extents that the operands have in this run.
Shape shape_now(EvalContext& ctx, int j) {
  const Node& node = ctx.node();
  if (node.result(j)->shape().ranked()) return node.result(j)->shape();
  try {
    Module scratch;
    Builder b(scratch.main());
    const auto stand_in = [&](const Value* v, const Type& t) {
      if (v->constant()) return b.constant(*v->constant());
      Value* copy = scratch.main().add_input(t);
      if (v->contents()) copy->set_contents(*v->contents());
      return copy;
    };
    std::vector<Value*> operands;
    for (int i = 0; i < node.num_operands(); ++i) {
      Value* v = node.operand(i);
      operands.push_back(v ? stand_in(v, ctx.datum(i).is_tensor() ? ctx.in(i).type() : v->type()) : nullptr);
    }
    std::vector<std::pair<Value*, Value*>> captured;
    for (Value* v : captures(node.region(0))) captured.emplace_back(v, stand_in(v, v->type()));
    std::vector<std::unique_ptr<Graph>> body;
    body.push_back(clone(node.region(0), scratch, std::move(captured)));
    const auto forget = [](const Graph& g) {
      for (Value* v : g.inputs()) v->set_type(Type());
    };
    forget(*body[0]);
    walk(*body[0], [&](Node& n) {
      for (int i = 0; i < n.num_regions(); ++i) forget(n.region(i));
    });
    return b.node(node.op(), operands, node.raw_attrs(), node.num_results(), std::move(body))->result(j)->shape();
  } catch (const Error&) {  // the region calls a function, or takes no such operands
    return {};
  }
}

// The values of result `j`, all iterations, one after the other along a new axis.
void stack(EvalContext& ctx, int j, const std::vector<Datum>& values, int64_t axis, bool reverse) {
  if (j >= ctx.num_results()) return;
  const auto n = static_cast<int64_t>(values.size());
  Extents extents;
  DType dtype = ctx.result_dtype(j);
  if (n == 0) {
    // Extents follow from those of the operands as far as inference knows; nothing tells, and needs, the others.
    std::map<std::string, int64_t> known;
    for (int i = 0; i < ctx.node().num_operands(); ++i) {
      if (!ctx.has(i) || !ctx.datum(i).is_tensor() || !ctx.node().operand(i)->shape().ranked()) continue;
      const Shape& declared = ctx.node().operand(i)->shape();
      for (int k = 0; k < declared.rank(); ++k)
        if (declared[k].is_symbol()) known.emplace(declared[k].symbol_name(), ctx.in(i).extent(k));
    }
    const auto lookup = [&](const std::string& symbol) -> std::optional<int64_t> {
      const auto it = known.find(symbol);
      return it == known.end() ? std::nullopt : std::optional(it->second);
    };
    // An expression such as 2*N is known where an operand is declared to have it.
    const auto declared = [&](const Dim& d) -> std::optional<int64_t> {
      for (int i = 0; i < ctx.node().num_operands(); ++i) {
        if (!ctx.has(i) || !ctx.datum(i).is_tensor() || !ctx.node().operand(i)->shape().ranked()) continue;
        const Dims& dims = ctx.node().operand(i)->shape().dims();
        for (size_t k = 0; k < dims.size(); ++k)
          if (dims[k] == d) return ctx.in(i).extent(static_cast<int>(k));
      }
      return std::nullopt;
    };
    const Shape s = shape_now(ctx, j);
    if (s.ranked())
      for (const Dim& d : s.dims()) {
        const auto known_here = d.eval(lookup);
        extents.push_back(known_here ? *known_here : declared(d).value_or(0));
      }
    else
      extents = {0};
    ctx.out(j, dtype, extents);
    return;
  }
  if (!values[0].is_tensor()) ctx.fail(ErrorCode::bad_type, "a scanned output must be a tensor");
  const Tensor& first = values[0].tensor();
  const int a = ctx.axis(axis, first.rank() + 1);
  extents = first.extents();
  extents.insert(extents.begin() + a, n);
  Tensor& out = ctx.out(j, first.dtype(), extents);
  Extents strides = row_major_strides(extents);
  const int64_t step = strides[static_cast<size_t>(a)];
  strides.erase(strides.begin() + a);
  for (int64_t i = 0; i < n; ++i) {
    const Datum& d = values[static_cast<size_t>(i)];
    if (!d.is_tensor() || d.tensor().extents() != first.extents() || d.tensor().dtype() != first.dtype())
      ctx.fail(ErrorCode::bad_shape, "scanned output ", j, " is ", first.type(), " in one iteration and ",
               d.is_tensor() ? d.tensor().type().str() : "no tensor", " in another");
    copy_strided(d.tensor(), 0, row_major_strides(first.extents()), out, (reverse ? n - 1 - i : i) * step, strides,
                 first.extents());
  }
}

int64_t entry(const std::vector<int64_t>& list, size_t i) {
  return list.empty() ? 0 : list[i];
}

}  // namespace

template <>
void eval<If>(EvalContext& ctx) {
  auto results = ctx.run_region(truth(ctx, ctx.datum(0)) ? 0 : 1, {});
  for (int j = 0; j < ctx.num_results(); ++j) ctx.set(j, std::move(results[static_cast<size_t>(j)]));
}

template <>
void eval<Loop>(EvalContext& ctx) {
  const Graph& body = ctx.node().region(0);
  int64_t limit = std::numeric_limits<int64_t>::max();
  if (ctx.has(0)) {
    if (ctx.in(0).size() != 1)
      ctx.fail(ErrorCode::bad_shape, "the trip count must be one element, got ", ctx.in(0).type());
    limit = ctx.ints(0)[0];
  }
  bool more = !ctx.has(1) || truth(ctx, ctx.datum(1));
  const auto scalar_like = [](const Value* input, auto value) {
    Tensor t = Tensor::scalar(value);
    return input->shape().rank() == 1 ? t.reshaped({1}) : t;
  };
  std::vector<Datum> carried;
  for (int i = 2; i < ctx.num_operands(); ++i) carried.push_back(ctx.datum(i));
  const size_t scanned = static_cast<size_t>(body.num_outputs()) - 1 - carried.size();
  std::vector<std::vector<Datum>> history(scanned);
  for (int64_t i = 0; i < limit && more; ++i) {
    ctx.count_step();
    std::vector<Datum> args{scalar_like(body.input(0), i), scalar_like(body.input(1), Bool(true))};
    for (auto& c : carried) args.push_back(std::move(c));
    auto outputs = ctx.run_region(0, std::move(args));
    more = truth(ctx, outputs[0]);
    for (size_t k = 0; k < carried.size(); ++k) carried[k] = std::move(outputs[1 + k]);
    for (size_t k = 0; k < scanned; ++k) history[k].push_back(std::move(outputs[1 + carried.size() + k]));
  }
  for (size_t k = 0; k < carried.size(); ++k) ctx.set(static_cast<int>(k), std::move(carried[k]));
  for (size_t k = 0; k < scanned; ++k) stack(ctx, static_cast<int>(carried.size() + k), history[k], 0, false);
}

template <>
void eval<Scan>(EvalContext& ctx) {
  const auto& a = ctx.attrs<Scan>();
  const auto inputs = static_cast<size_t>(a.num_scan_inputs), states = static_cast<size_t>(ctx.num_operands()) - inputs;
  const size_t scanned = static_cast<size_t>(ctx.node().region(0).num_outputs()) - states;
  std::vector<int> axes;
  int64_t trips = -1;
  for (size_t k = 0; k < inputs; ++k) {
    const Tensor& x = ctx.in(static_cast<int>(states + k));
    axes.push_back(ctx.axis(entry(a.scan_input_axes, k), x.rank()));
    const int64_t n = x.extent(axes[k]);
    if (trips >= 0 && n != trips)
      ctx.fail(ErrorCode::bad_shape, "scanned operands have ", trips, " and ", n, " slices");
    trips = n;
  }
  std::vector<Datum> carried;
  for (size_t i = 0; i < states; ++i) carried.push_back(ctx.datum(static_cast<int>(i)));
  std::vector<std::vector<Datum>> history(scanned);
  for (int64_t i = 0; i < trips; ++i) {
    ctx.count_step();
    std::vector<Datum> args = std::move(carried);
    for (size_t k = 0; k < inputs; ++k) {
      const Tensor& x = ctx.in(static_cast<int>(states + k));
      Extents extents = x.extents(), strides = row_major_strides(extents);
      const int64_t at = entry(a.scan_input_directions, k) ? trips - 1 - i : i,
                    offset = at * strides[static_cast<size_t>(axes[k])];
      extents.erase(extents.begin() + axes[k]), strides.erase(strides.begin() + axes[k]);
      Tensor slice(x.dtype(), extents);
      copy_strided(x, offset, strides, slice, 0, row_major_strides(extents), extents);
      args.emplace_back(std::move(slice));
    }
    auto outputs = ctx.run_region(0, std::move(args));
    carried.assign(std::make_move_iterator(outputs.begin()),
                   std::make_move_iterator(outputs.begin() + static_cast<std::ptrdiff_t>(states)));
    for (size_t k = 0; k < scanned; ++k) history[k].push_back(std::move(outputs[states + k]));
  }
  for (size_t k = 0; k < states; ++k) ctx.set(static_cast<int>(k), std::move(carried[k]));
  for (size_t k = 0; k < scanned; ++k)
    stack(ctx, static_cast<int>(states + k), history[k], entry(a.scan_output_axes, k),
          entry(a.scan_output_directions, k) != 0);
}

template <>
void eval<SequenceMap>(EvalContext& ctx) {
  const size_t n = ctx.datum(0).items().size();
  std::vector<Sequence> results(static_cast<size_t>(ctx.num_results()));
  for (size_t i = 0; i < n; ++i) {
    ctx.count_step();
    std::vector<Datum> args;
    for (int k = 0; k < ctx.num_operands(); ++k) {
      const Datum& d = ctx.datum(k);
      if (!d.is_sequence())
        args.push_back(d);
      else if (d.items().size() == n)
        args.push_back(d.items()[i]);
      else
        ctx.fail(ErrorCode::bad_shape, "sequences of ", n, " and ", d.items().size(), " elements are mapped together");
    }
    auto outputs = ctx.run_region(0, std::move(args));
    for (size_t j = 0; j < results.size(); ++j) results[j].items.push_back(std::move(outputs[j]));
  }
  for (size_t j = 0; j < results.size(); ++j) ctx.set(static_cast<int>(j), std::move(results[j]));
}

}  // namespace tc
