// What stands behind Vars: the program being traced, the graph that nodes go to, and where the user's program is.
// Private to frontend/dsl, beside the layers that extend it (frontend/api).
//
// A DSL function opens a Site, turns its arguments into Vars with the helpers below, and makes nodes:
//
//   Var hypot_like(Arg a, Arg b) {
//     const Site site("hypot_like", a.at());
//     const auto [x, y] = promoted(a, b, Domain::floating);
//     return make<Sqrt>({x * x + y * y});   // inner functions' Sites do nothing: the outermost one is the user's call
//   }
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tc/frontend/dsl/shape.h"
#include "tc/frontend/dsl/var.h"
#include "tc/ir/graph.h"
#include "tc/ir/module.h"

namespace tc::dsl {

struct ParameterState;

// The user's call that is being served; inner Sites of the same thread do nothing.
class Site {
 public:
  Site(std::string_view name, const Location& at);
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;
  static const Site* current();  // null outside of calls
  std::string_view name() const { return name_; }
  std::string location(bool whole_path) const;  // FILE:LINE
  // For the while that user code runs inside a call (the bodies of loops): its calls are their own Sites.
  class Suspension {
   public:
    Suspension();
    ~Suspension();
    Suspension(const Suspension&) = delete;
    Suspension& operator=(const Suspension&) = delete;

   private:
    const Site* site_;
  };

 private:
  std::string_view name_;
  Location at_;
  bool outermost_;
};

inline Location location_of(const Args& args) {
  return args.empty() ? Location::current() : args[0].at();
}
// Attributes are f32 in files: rounded here, a program means the same after it has been through one.
inline double attribute(double x) {
  return static_cast<float>(x);
}

// Throws an error at the user's call.
[[noreturn]] void refuse(ErrorCode code, std::string message, std::vector<std::string> notes = {});
// What f() throws, at the user's call.
template <class F>
auto located(F f) {
  try {
    return f();
  } catch (const Error& e) {
    refuse(e.code(), e.diagnostic().message, e.diagnostic().notes);
  }
}

// Runs nodes at once where programs are not traced but computed as they are written (frontend/api/eager.h).
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // The results of a node whose operands are constants.
  virtual std::vector<Tensor> run(const Node& node) = 0;
  // The outputs of a program.
  virtual std::vector<Tensor> run(const std::shared_ptr<const Module>& program, std::vector<Tensor> inputs) = 0;
};

class Tracer : public std::enable_shared_from_this<Tracer> {
 public:
  // With an evaluator it is no program that grows: each node of the main graph runs at once, and its results are
  // arrays.
  explicit Tracer(std::string name, std::shared_ptr<Evaluator> evaluator = nullptr);
  // A value that is there already: a program of one constant, which other programs take up when they use it.
  static Var array(Tensor t);
  bool is_array() const { return is_array_; }
  bool eager() const { return evaluator_ && frames_.size() == 1; }
  static Tracer* active();   // of this thread; null outside of traces
  static Tracer& current();  // Error bad_argument outside of traces

  // Makes this the active tracer for as long as it lives.
  class Activation {
   public:
    explicit Activation(Tracer& t);
    ~Activation();
    Activation(const Activation&) = delete;
    Activation& operator=(const Activation&) = delete;

   private:
    Tracer* outer_;
  };

  const std::string& name() const { return name_; }
  const std::shared_ptr<Module>& module() const { return module_; }
  Graph& graph() const { return *frames_.back().graph; }  // where nodes go
  void finish() { finished_ = true; }                     // Vars can be looked at, but no longer used

  Var var(Value* v) { return Var(shared_from_this(), v); }
  // The value of a Var that may be used here; an array becomes a constant. Error bad_argument when it is undefined,
  // belongs to another trace, or was made inside a body that has ended.
  Value* use(const Var& v);
  // The Var itself when it may be used here, that of the constant for an array. Errors as above.
  Var here(const Var& v);
  Var input(Type type, std::string name);
  std::vector<Var> emit(OpId op, const std::vector<Var>& operands, std::shared_ptr<const void> attrs, int results,
                        std::vector<std::unique_ptr<Graph>> regions = {});
  // The outputs of a copy of the module's main graph here; functions that it calls are copied, too.
  std::vector<Var> inlined(const std::shared_ptr<const Module>& module, const Args& args);
  // Makes the module's main graph a function of the program, with those that it calls; its name here.
  std::string add_function(const Module& module);
  Var constant(Tensor t);
  // The one value of the parameter's name in the program. Error bad_argument when another one has it there.
  Var parameter(const std::shared_ptr<const ParameterState>& state);
  // Those that the program has used, and what they were then.
  struct UsedParameter {
    std::shared_ptr<const ParameterState> state;
    Tensor value;
  };
  const std::vector<UsedParameter>& used_parameters() const { return used_parameters_; }
  // From here on uses of `from` mean `to`.
  void replace(Value* from, Value* to) { replaced_[from] = to; }
  Var scalar(DType t, const Arg& number);  // a weak Arg; Error bad_value when the type cannot hold it
  // Marks a value that comes of numbers alone: beside a tensor it takes that one's element type, as they do.
  static Var weakened(const Var& v);
  bool is_weak(const Value* v) const { return weak_.count(v) > 0; }
  Var weak_number(const Arg& number);  // a value of its own
  std::optional<Arg> number_of(const Var& v) const {
    const auto it = weak_.find(v.value());
    return it == weak_.end() ? std::nullopt : it->second;
  }
  bool knows(const Dim& d) const;  // something here has each of its symbols
  // i64[1] of a symbolic extent: read off a value here that has it. Error bad_argument when there is none.
  Var extent(const Dim& d);

  // Keeps a body that came to nothing: Vars may still look at it.
  void discard(std::unique_ptr<Graph> body);

  // A body under construction: nodes go to it while it lives.
  class Body {
   public:
    Body(Tracer& t, std::string name);
    ~Body();
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;
    std::unique_ptr<Graph> finish(const std::vector<Var>& outputs);

   private:
    Tracer& tracer_;
    std::unique_ptr<Graph> graph_;
    size_t depth_;
  };

 private:
  // A graph that is open, and what is at hand in it.
  struct Frame {
    Graph* graph;
    std::map<std::string, std::pair<Value*, int>> sources;  // a value and axis of each symbolic extent
    std::map<std::string, Value*> extents, scalars;         // made already
    std::map<const Value*, std::pair<Var, Value*>> arrays;  // taken up, and what they became
  };
  Var parameter(const std::string& name, const Tensor& value);
  std::vector<Var> run(Node& node);
  void copy_functions(Module& from);
  void clear();
  void note_extents(Value* v);
  Value* find_extent(const std::string& key);

  std::string name_;
  std::shared_ptr<Module> module_;
  std::vector<Frame> frames_;
  std::vector<std::unique_ptr<Graph>> discarded_;
  std::vector<std::unique_ptr<Node>> kept_;  // with bodies; have run
  std::map<std::string, Value*> parameters_;
  std::vector<UsedParameter> used_parameters_;
  std::map<const Value*, Value*> replaced_;
  std::map<const Value*, std::optional<Arg>> weak_;  // and the numbers that they are
  Node* last_parameter_ = nullptr;
  bool finished_ = false, is_array_ = false;
  std::shared_ptr<Evaluator> evaluator_;
};

// The element types that a function takes, as the Array API names them.
enum class Domain { any, boolean, integer, integer_or_boolean, real, floating, numeric };

// A Var of the argument; a number becomes i64, f32 or bool, or `like` where given. Error bad_type outside the domain.
Var operand(const Arg& a, Domain domain = Domain::any);
Var operand_like(const Arg& a, DType like);
// Undefined for an undefined Var.
Var optional_operand(const Arg& a);
Var cast_to(const Var& v, DType t);  // v itself where it has the type
// The arguments in their common type. Error bad_type when they have none.
std::vector<Var> promoted(const Args& args, Domain domain = Domain::any);
std::pair<Var, Var> promoted(const Arg& a, const Arg& b, Domain domain = Domain::any);
// A result of operands that are both numbers, or values that come of numbers alone.
bool of_numbers(const Arg& a);
Var like_numbers(Var result, const Arg& a, const Arg& b);

int axis_of(int64_t axis, int rank);                       // counted from 0; Error bad_argument
std::vector<int64_t> axes_of(const Axes& axes, int rank);  // distinct, ascending

// i64[rank]: a constant where all extents are fixed.
Var shape_tensor(const ShapeArg& shape);
Var ints(const std::vector<int64_t>& values);

template <class Op>
std::vector<Var> make_n(const std::vector<Var>& operands, attrs_t<Op> attrs, int results,
                        std::vector<std::unique_ptr<Graph>> regions = {}) {
  return Tracer::current().emit(id_of<Op>, operands, std::make_shared<attrs_t<Op>>(std::move(attrs)), results,
                                std::move(regions));
}
template <class Op>
Var make(const std::vector<Var>& operands, attrs_t<Op> attrs = {}) {
  return make_n<Op>(operands, std::move(attrs), 1)[0];
}

// What might help where a node of these operands was refused; may be empty.
std::vector<std::string> suggestions(OpId op, ErrorCode code, const std::vector<Type>& operands);

}  // namespace tc::dsl
