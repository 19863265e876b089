// Inference against reality: compares values with their inferred types while a program runs.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tc/ir/graph.h"
#include "tc/ir/tensor.h"

namespace tc {

class TypeChecker {
 public:
  // What contradicts the type that was inferred for a value, and what is known of its elements; empty: nothing. A
  // symbol takes the extent where it is first met, and has it everywhere from then on; expressions of symbols that were
  // never met say nothing. Extents of a sequence's elements are checked as far as they are fixed: elements may differ.
  std::string contradiction(const Type& type, const Dims* contents, const Datum& d);
  std::string contradiction(const Value& v, const Datum& d) { return contradiction(v.type(), v.contents(), d); }

  // While it lives, the checker is inside a region: symbols met there are forgotten at its end.
  class Scope {
   public:
    explicit Scope(TypeChecker& checker) : checker_(checker), outer_(checker.symbols_) {}
    ~Scope() { checker_.symbols_ = std::move(outer_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    TypeChecker& checker_;
    std::map<std::string, int64_t> outer_;
  };

 private:
  std::optional<int64_t> value_of(const Dim& d) const;
  std::map<std::string, int64_t> symbols_;
};

}  // namespace tc
