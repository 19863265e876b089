// What a program states about its data. Statements are part of the program: a native run that meets data for which one
// does not hold stops with Error check_failed. ONNX has no such operator: see ExportOptions::checks.
#pragma once

#include <string>

#include "tc/frontend/dsl/shape.h"

namespace tc {

// Stops the run with the message unless all elements of the condition are true. Error check_failed at once where that
// is known already, bad_type for other elements than booleans.
void check(Arg condition, std::string message);

// x, whose shape is what is stated from here on; the run stops where it is another. An extent that is a name is checked
// where something has it already, and is any extent of x otherwise. What cannot be proven costs a copy of x. Error
// bad_shape at once where the type of x contradicts.
Var assume_shape(Arg x, ShapeArg shape, std::string message = {});

}  // namespace tc
