// Calls of the library's functions, which targets may have kernels for (ir/library.h). Private to frontend/dsl.
#pragma once

#include "tc/frontend/dsl/control.h"

namespace tc::dsl {

// f(x), an elementwise function of one tensor, as a call of a function of the library: `name` is special.gammaln. With
// a rule as custom_vjp takes it, or null. What runs at once runs as a program of the call.
Var call_library(std::string_view name, const Body& f, const Body* rule, const Var& x);

}  // namespace tc::dsl
