#include "writer.h"

namespace tc::programs {
namespace {

// Statistics of few elements amplify rounding: norms are of at least three.
Item with_last_extent(Writer& w, int low, int high) {
  const Item x = w.any(low, high);
  if (x.extents.back() >= 3) return x;
  Extents extents = w.random_extents(static_cast<int>(w.between(low, high)));
  extents.back() = w.between(3, 7);
  return w.fresh(extents);
}

void soft(Writer& w) {
  const Item x = w.bounded(w.any(1), 10);
  const int64_t axis = w.between(-x.rank(), x.rank() - 1);
  if (w.chance(0.6))
    w.add(cat("softmax(", x.name, ", ", axis, ")"), softmax(x.v, {.axis = axis}), 1);
  else
    w.add(cat("log_softmax(", x.name, ", ", axis, ")"), log_softmax(x.v, {.axis = axis}), x.size + 2);
}

void layer(Writer& w) {
  const Item x = with_last_extent(w, 1, 4);
  const Item scale = w.fresh({x.extents.back()}), bias = w.fresh({x.extents.back()});
  if (w.chance(0.3))
    w.add(cat("rms_normalization(", x.name, ", ", scale.name, ")"), rms_normalization(x.v, scale.v), 4);
  else
    w.add(cat("layer_normalization(", x.name, ", ", scale.name, ", ", bias.name, ")"),
          layer_normalization(x.v, scale.v, bias.v), 6);
}

void channels(Writer& w) {
  const Item x = with_last_extent(w, 3, 4);
  const int64_t c = x.extents[1];
  const Item scale = w.fresh({c}), bias = w.fresh({c});
  switch (w.below(3)) {
    case 0:
      w.add(cat("instance_normalization(", x.name, ", ", scale.name, ", ", bias.name, ")"),
            instance_normalization(x.v, scale.v, bias.v), 6);
      return;
    case 1: {
      const int64_t groups = c % 2 == 0 && w.chance(0.5) ? 2 : 1;
      w.add(cat("group_normalization(", x.name, ", ", scale.name, ", ", bias.name, ", ", groups, ")"),
            group_normalization(x.v, scale.v, bias.v, groups), 6);
      return;
    }
    default: {
      const Item center = w.fresh({c}), variance = w.fresh({c}, 0.5, 2);
      w.add(cat("batch_normalization(", x.name, ", ", scale.name, ", ", bias.name, ", ", center.name, ", ",
                variance.name, ")"),
            batch_normalization(x.v, scale.v, bias.v, center.v, variance.v), x.size * 2 + 4);
    }
  }
}

void of_lengths(Writer& w) {
  const Item x = w.positive(w.any(1));
  const int64_t axis = w.between(-x.rank(), -1), p = w.between(1, 2);
  w.add(cat("lp_normalization(", x.name, ", ", axis, ", ", p, ")"), lp_normalization(x.v, {.axis = axis, .p = p}), 1);
}

// softmax(q k') v
void attended(Writer& w) {
  const int64_t batch = w.between(1, 2), length = w.between(2, 5), size = w.between(2, 6);
  const Item q = w.fresh({batch, length, size}), k = w.fresh({batch, length, size}), v = w.fresh({batch, length, size});
  const Var scores = matmul(q.v, matrix_transpose(k.v)) * 0.5;
  w.add(cat("matmul(softmax(matmul(", q.name, ", matrix_transpose(", k.name, ")) * 0.5), ", v.name, ")"),
        matmul(softmax(scores), v.v), 2);
}

constexpr Statement kNormsStatements[] = {soft, soft, soft, layer, layer, channels, of_lengths, attended};

}  // namespace

std::span<const Statement> norm_statements() {
  return kNormsStatements;
}

}  // namespace tc::programs
