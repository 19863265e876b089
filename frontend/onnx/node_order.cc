#include "tc/frontend/onnx/node_order.h"

#include <unordered_map>
#include <unordered_set>

#include "tc/frontend/onnx/importer.h"

namespace tc::onnx {
namespace {

using Use = std::function<void(std::string_view)>;

// Calls use(name) for what a node reads from outside of it: its inputs, and what graphs inside it do not define.
void for_each_use(const NodeProto& node, const Use& use);

void for_each_capture(const GraphProto& graph, const Use& use) {
  std::unordered_set<std::string_view> own;
  for (const auto& i : graph.input) own.insert(i.name);
  for (const auto& t : graph.initializer) own.insert(t.name);
  for (const auto& t : graph.sparse_initializer) own.insert(t.values.name);
  for (const auto& n : graph.node) own.insert(n.output.begin(), n.output.end());
  const Use capture = [&](std::string_view name) {
    if (!own.count(name)) use(name);
  };
  for (const auto& n : graph.node) for_each_use(n, capture);
  for (const auto& o : graph.output) capture(o.name);
}

void for_each_use(const NodeProto& node, const Use& use) {
  for (const auto name : node.input) use(name);
  for (const auto& a : node.attribute) {
    if (a.g) for_each_capture(*a.g, use);
    for (const auto& g : a.graphs) for_each_capture(g, use);
  }
}

}  // namespace

std::vector<const NodeProto*> node_order(const std::vector<NodeProto>& nodes,
                                         const std::function<bool(std::string_view)>& visible) {
  std::unordered_map<std::string_view, size_t> producer;
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const auto name : nodes[i].output)
      if (!name.empty() && !visible(name)) producer.emplace(name, i);

  enum class State : uint8_t { unseen, waiting, placed };
  struct Visit {
    size_t node;
    std::vector<size_t> needs;  // not yet looked at
  };
  std::vector<State> state(nodes.size(), State::unseen);
  std::vector<const NodeProto*> order;
  std::vector<Visit> stack;  // not recursion: a chain in reverse order is as deep as it is long
  const auto enter = [&](size_t i) {
    state[i] = State::waiting;
    stack.push_back({i, {}});
    for_each_use(nodes[i], [&](std::string_view name) {
      if (const auto it = producer.find(name); it != producer.end() && state[it->second] != State::placed)
        stack.back().needs.push_back(it->second);
    });
  };
  for (size_t first = 0; first < nodes.size(); ++first) {
    if (state[first] == State::unseen) enter(first);
    while (!stack.empty()) {
      const size_t at = stack.back().node;
      if (stack.back().needs.empty()) {
        state[at] = State::placed;
        order.push_back(&nodes[at]);
        stack.pop_back();
        continue;
      }
      const size_t next = stack.back().needs.back();
      stack.back().needs.pop_back();
      if (state[next] == State::waiting)
        throw Error({ErrorCode::bad_graph,
                     cat("needs a result of '", describe_node(nodes[next]), "', which needs a result of this node"),
                     describe_node(nodes[at]),
                     {},
                     {"nodes must not form a cycle"}});
      if (state[next] == State::unseen) enter(next);
    }
  }
  return order;
}

}  // namespace tc::onnx
