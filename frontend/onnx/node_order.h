// The order in which nodes of a graph are imported. Private to frontend/onnx.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "tc/frontend/onnx/proto.h"

namespace tc::onnx {

// The nodes so that each comes after those whose results it or a graph inside it reads; else in the order of the file.
// The standard asks for such an order, but some converters append nodes at the end. `visible` tells which names have a
// value already. Error bad_graph when nodes need each other.
std::vector<const NodeProto*> node_order(const std::vector<NodeProto>& nodes,
                                         const std::function<bool(std::string_view)>& visible);

}  // namespace tc::onnx
