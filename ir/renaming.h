// Symbols of a body in terms of the place where a copy of it stands. Each copy has unknown extents of its own: what one
// copy finds in its data says nothing of another one's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tc/ir/module.h"

namespace tc {

class Renaming {
 public:
  explicit Renaming(Module& module) : module_(module) {}

  // A symbol that means the same in the copy.
  void keep(const std::string& symbol) { renamed_.emplace(symbol, std::nullopt); }
  void keep_symbols(const Type& t);
  void keep_symbols(const Value& v);  // those of what is known of its elements, too
  // Symbols that are extents of the body's `inner` stand for the extents of `outer`. The first meaning holds.
  void bind(const Type& inner, const Type& outer, bool made_up_only = false);

  // Symbols that Module::fresh_symbol made, and that have no meaning yet, are given new ones.
  Dim operator()(const Dim& d);
  Dims operator()(const Dims& dims);
  Type operator()(const Type& t);
  // As above, but an expression of symbols without a meaning is a new symbol as a whole.
  Type seen_from_outside(const Type& t);

 private:
  std::optional<Dim> meaning(const std::string& symbol);
  template <class F>
  Type mapped(const Type& t, const F& f);

  Module& module_;
  std::map<std::string, std::optional<Dim>> renamed_;  // nothing: as it is
  std::map<std::string, Dim> whole_;                   // by the spelling of an expression
};

// A copy of `body` in front of `node`, of operands and for results of the node; the values that the results stand for.
std::vector<Value*> clone_in_place_of(Node& node, const Graph& body);

}  // namespace tc
