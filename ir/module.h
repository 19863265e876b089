// A program: a main graph, functions that `call` nodes name, and metadata. Functions are monomorphic (an importer
// instantiates one per signature) and never recursive.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tc/ir/graph.h"

namespace tc {

class Module {
 public:
  Module() : main_(std::make_unique<Graph>(*this, "main")) {}
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Graph& main() const { return *main_; }
  const std::vector<std::unique_ptr<Graph>>& functions() const { return functions_; }
  Graph* find_function(std::string_view name) const;
  Graph& add_function(std::string name);  // Error bad_graph when the name is taken
  void erase_function(std::string_view name);

  // A symbol no other part of the module uses, spelled ?0, ?1, ...: an extent about which nothing is known in advance.
  Dim fresh_symbol() { return Dim::symbol("?" + std::to_string(next_symbol_++)); }
  uint64_t next_symbol() const { return next_symbol_; }
  void reserve_symbols(uint64_t next) { next_symbol_ = std::max(next_symbol_, next); }
  // Takes back the symbols made since next_symbol() was `next`; none of them may be in use.
  void release_symbols(uint64_t next) { next_symbol_ = next; }

  // Name, producer, documentation and whatever else a file says about itself.
  std::map<std::string, std::string> metadata;

 private:
  uint64_t next_symbol_ = 0;
  std::vector<std::unique_ptr<Graph>> functions_;
  std::unique_ptr<Graph> main_;
};

std::unique_ptr<Module> clone(const Module& m);
// The functions, callees before callers. Error bad_graph at a call of a function that is not there or leads back to its
// caller.
std::vector<Graph*> call_order(const Module& m);

}  // namespace tc
