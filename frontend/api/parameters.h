// The parameters of programs, and files of them.
#pragma once

#include "tc/frontend/api/tensor_file.h"
#include "tc/frontend/dsl/function.h"
#include "tc/frontend/dsl/parameter.h"

namespace tc {

// In the order of their first use.
NamedTensors parameters_of(const Function& f);
// A copy that begins with other tensors. Error bad_argument for names that are not there, bad_type for other types.
Function with_parameters(const Function& f, const NamedTensors& parameters);
// A copy that takes the parameters as inputs behind its own, in the order of parameters_of. Error bad_argument when an
// input has the name of a parameter.
Function parameters_as_inputs(const Function& f);

// Gives each parameter the tensor of its name. Error bad_argument when there is none, bad_type when it is another type.
void assign_parameters(const std::vector<Param>& parameters, const NamedTensors& tensors);
// The tensors of `to` become those of `from` of the same names. Errors, with `what` for the whole: bad_argument unless
// the names are the same, bad_type for other types.
void replace_tensors(NamedTensors& to, const NamedTensors& from, std::string_view what);

}  // namespace tc
