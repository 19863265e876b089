#include "tc/ir/ops/softmax.h"

namespace tc {

const AlongAxis::Attrs& AlongAxis::attrs_of(const Node& node) {
  return *static_cast<const Attrs*>(node.raw_attrs().get());
}

void AlongAxis::infer(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  // A scalar is its own axis.
  if (x.ranked()) ctx.axis(attrs_of(ctx.node()).axis, std::max(x.rank(), 1));
  ctx.set(0, x);
}

}  // namespace tc
