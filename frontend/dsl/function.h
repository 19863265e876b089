// A program: what a trace, a file or a text becomes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tc/frontend/dsl/var.h"

namespace tc {

class Module;

// An input or output: its name and declared type, whose extents may be symbols.
struct ValueInfo {
  std::string name;
  Type type;
};

// A cheap handle; immutable.
class Function {
 public:
  explicit Function(std::shared_ptr<const Module> module);
  const std::string& name() const;
  std::vector<ValueInfo> inputs() const;
  std::vector<ValueInfo> outputs() const;
  std::string str() const;  // the textual IR, weights elided
  const Module& module() const { return *module_; }

  // Inside of a trace: its nodes, copied there. Error bad_argument when the number of arguments differs, bad_type when
  // one does not fit its declared type.
  std::vector<Var> operator()(const Args& args, Location at = Location::current()) const;

 private:
  std::shared_ptr<const Module> module_;
};

}  // namespace tc
