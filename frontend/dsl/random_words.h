// The generator behind tc::random. Private to frontend/dsl.
#pragma once

#include "tc/frontend/dsl/random.h"

namespace tc::random {

struct Words {
  Var high, low;  // u32, of equal shapes
};
// The two words of each element of the shape, in the order of its elements. Called within a Site.
Words words(const Key& k, const ShapeArg& shape);
// The key's data. Error bad_type, bad_shape.
Var checked(const Key& k);

}  // namespace tc::random
