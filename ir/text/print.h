// The textual form of programs. parse_module (parse.h) reads it back, and print(parse(print(m))) == print(m) exactly.
//
//   metadata "producer" = "someone"
//   func @square(%x: f32[N]) {
//     %0 = mul %x, %x : f32[N]
//     return %0
//   }
//   graph @main(%x: f32[N,784], %i: i64[]) donate(0 -> 0) {
//     %fc1.w = constant @fc1.w : f32[784,128]
//     %1 = constant dense<[0, 1]> : i64[2]
//     %2, %3 = some_op %x, _, %"odd name" {axis = -1, keepdims} (@body (%a: f32[2]) {
//       return %a
//     }) : f32[N,128], i64[2*N+1]  loc("fc1/Relu")
//     return %2, %3 : "y", "z"
//   }
//   resource @fc1.w : f32[784,128] = hex"0000803f..."
//
// Values without a name are numbered in order; a name that an earlier value of the function has gets a suffix (%x#1).
// Absent operands are `_`. Attributes that have their default value are left out; `name` alone means `name = true`.
// `donate(i -> o)`: output o may reuse the memory of input i. Small tensors stand inline (one number for all elements
// when they are equal); others are resources, once per tensor however many nodes share it.
#pragma once

#include <iosfwd>
#include <string>

#include "tc/ir/module.h"

namespace tc {

struct PrintOptions {
  bool locations = true;
  bool elide_weights = false;  // `elided(HASH)` instead of the bytes of resources; such text does not parse
  int64_t max_inline = 16;     // elements of a tensor printed inline
};

std::string print(const Module& module, const PrintOptions& options = {});
// One graph and the resources that it uses, also when it is ill-formed.
std::string print(const Graph& graph, const PrintOptions& options = {});
// One line, without the bodies of regions and without resources. Also when the node is detached or ill-formed.
std::string print(const Node& node, const PrintOptions& options = {});

}  // namespace tc
