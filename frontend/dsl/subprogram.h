// Functions of a module that are traced where they are called. Private to frontend/dsl.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tc/frontend/dsl/control.h"
#include "tc/ir/module.h"

namespace tc::dsl {

// A program of its own, whose symbols the caller does not use for other extents. Error bad_argument
// where the body takes another number of values.
std::shared_ptr<Module> subprogram(std::string_view name, const std::vector<Type>& inputs, const Body& body,
                                   Module& caller);
std::vector<Type> types_of(const Graph& g);  // of the outputs
std::vector<Type> differentiable_ones(const std::vector<Type>& types);

}  // namespace tc::dsl
