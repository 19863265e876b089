#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

// Max and min came after the sums and products.
template <class Op>
void scatter_16(NodeExport& n) {
  const ScatterReduction r = n.attrs<Op>().reduction;
  if (r == ScatterReduction::max || r == ScatterReduction::min)
    n.refuse("reduction '", kScatterReductionNames[static_cast<size_t>(r)], "' of ", n.node().info().facts->onnx.name,
             " exists from opset 18 on");
  n.regular();
}

// Entry t of batch b goes to write_indices[b] + t along the axis.
std::vector<Value*> tensor_scatter(Lowering& l) {
  const auto& a = l.attrs<TensorScatter>();
  Value *cache = l.in(0), *update = l.in(1);
  const int rank = l.rank(0);
  const auto axis = static_cast<int>(a.axis < 0 ? a.axis + rank : a.axis);
  Value* places = l.b.make<Range>({l.b.scalar<int64_t>(0), l.extent(update, axis), l.b.scalar<int64_t>(1)});
  std::vector<int64_t> around;
  for (int i = 1; i < rank; ++i)
    if (i != axis) around.push_back(i);
  places = l.b.make<Unsqueeze>({places, l.b.ints({0})});
  if (l.in(2)) places = l.b.make<Add>({places, l.b.make<Unsqueeze>({l.in(2), l.b.ints({1})})});
  if (a.mode == TensorScatterMode::circular) places = l.b.make<Mod>({places, l.extent(cache, axis)});
  if (!around.empty()) places = l.b.make<Unsqueeze>({places, l.b.ints(around)});
  places = l.b.make<Expand>({places, l.b.make<ShapeOf>({update})});
  return {l.b.make<ScatterElements>({cache, places, update}, {.axis = axis})};
}

}  // namespace

void rows_export_gather(ExportRows& rows) {
  rows.insert(rows.end(), {{OpId::ScatterElements, 16, scatter_16<ScatterElements>},
                           {OpId::ScatterElements, 18},
                           {OpId::ScatterND, 16, scatter_16<ScatterND>},
                           {OpId::ScatterND, 18},
                           {OpId::TensorScatter, 1, nullptr, nullptr, tensor_scatter}});
}

}  // namespace tc::onnx
