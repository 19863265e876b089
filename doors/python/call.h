// Calls of the DSL's functions from Python. generate.py reads the DSL's headers and writes one Row per function; a Row
// becomes a function of Python whose arguments, by place or by name, are converted here.
//
// An array is a Var. Numbers of Python are weak, as C++ numbers are. Whatever numpy.asarray takes is an argument, too.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tc/tc.h"

namespace tc::python {

// Where the program that called is, below the frames of this package.
Location caller();

// --- From Python. Each throws Python's TypeError with `what` in it.
struct What {
  const char* function;
  const char* parameter;
};
[[noreturn]] void refuse_argument(const What& what, PyObject* value, const std::string& expected);

template <class T>
struct From;
template <>
struct From<bool> {
  static bool get(PyObject* value, const What& what);
};
template <>
struct From<int64_t> {
  static int64_t get(PyObject* value, const What& what);
};
template <>
struct From<int> {
  static int get(PyObject* value, const What& what);
};
template <>
struct From<uint64_t> {
  static uint64_t get(PyObject* value, const What& what);
};
template <>
struct From<double> {
  static double get(PyObject* value, const What& what);
};
template <>
struct From<std::string> {
  static std::string get(PyObject* value, const What& what);
};
template <>
struct From<DType> {
  static DType get(PyObject* value, const What& what);
};
template <>
struct From<Arg> {
  static Arg get(PyObject* value, const What& what);
};
template <>
struct From<Var> {
  static Var get(PyObject* value, const What& what);  // an array; other values become one
};
template <>
struct From<Args> {
  static Args get(PyObject* value, const What& what);
};
template <>
struct From<Extent> {
  static Extent get(PyObject* value, const What& what);
};
template <>
struct From<ShapeArg> {
  static ShapeArg get(PyObject* value, const What& what);
};
template <>
struct From<Axes> {
  static Axes get(PyObject* value, const What& what);
};
template <>
struct From<PerAxis> {
  static PerAxis get(PyObject* value, const What& what);
};
template <>
struct From<Padding> {
  static Padding get(PyObject* value, const What& what);
};
template <>
struct From<PadWidth> {
  static PadWidth get(PyObject* value, const What& what);
};
template <>
struct From<TensordotAxes> {
  static TensordotAxes get(PyObject* value, const What& what);
};
template <>
struct From<random::Key> {
  static random::Key get(PyObject* value, const What& what);
};
template <>
struct From<Schedule> {
  static Schedule get(PyObject* value, const What& what);
};
template <>
struct From<LearningRate> {
  static LearningRate get(PyObject* value, const What& what);
};

// The items of a list, tuple or one-dimensional array; one item for what is no list.
std::vector<PyObject*> items_of(PyObject* value, PyObject*& owner, bool one_alone);
template <class T>
struct From<std::vector<T>> {
  static std::vector<T> get(PyObject* value, const What& what) {
    PyObject* owner = nullptr;
    std::vector<T> result;
    for (PyObject* item : items_of(value, owner, true)) result.push_back(From<T>::get(item, what));
    Py_XDECREF(owner);
    return result;
  }
};
template <class T>
struct From<std::optional<T>> {
  static std::optional<T> get(PyObject* value, const What& what) {
    return value == Py_None ? std::nullopt : std::optional<T>(From<T>::get(value, what));
  }
};
// The place of a word among the names of an enumeration.
size_t word_of(PyObject* value, const What& what, std::span<const char* const> names);
// A tuple of so many arrays.
std::vector<Var> vars_of(PyObject* value, const What& what, size_t count);

// --- To Python.
PyObject* result(Var v);
PyObject* result(std::vector<Var> list);  // a tuple
PyObject* result(const random::Key& k);
PyObject* result(std::vector<random::Key> keys);
PyObject* result(Schedule s);
PyObject* result(Optimizer o);
// A named tuple; its type is made at the first use.
PyObject* result_tuple(const char* type, std::span<const char* const> fields, std::vector<Var> values);

// --- Calls
inline constexpr int kMaxParameters = 16;

class Call;
struct Overload {
  std::span<const char* const> parameters;
  int required;
  int list;           // the parameter that may be given as several arguments, or -1
  const char* kinds;  // a letter per parameter; 'i': an integer, which no array stands for
  PyObject* (*run)(const Call&);
};
struct Row {
  const char* space;  // "", "linalg", ...
  const char* name;
  const char* doc;  // with the signature first, as Python has it for functions of C
  std::span<const Overload> overloads;
};

class Call {
 public:
  Call(const Row& row, const Overload& overload) : row_(row), overload_(overload) {}
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  // Whether the arguments fit this overload; takes them when they do. `why` says why not.
  bool take(PyObject* const* args, Py_ssize_t count, PyObject* names, std::string& why);

  template <class T>
  T get(int i) const {
    return From<T>::get(slots_[i], what(i));
  }
  // Leaves the default where the argument is absent, or None where None means nothing else.
  template <class T>
  void option(int i, T& value) const {
    if (!slots_[i]) return;
    constexpr bool kNone = requires {
      value.has_value();
    }
    || std::same_as<T, Axes>;
    if (!kNone && slots_[i] == Py_None) return;
    value = From<T>::get(slots_[i], what(i));
  }
  Arg arg(int i) const;  // absent where it is not given
  const Location& at() const { return at_; }

 private:
  What what(int i) const { return {row_.name, overload_.parameters[static_cast<size_t>(i)]}; }
  const Row& row_;
  const Overload& overload_;
  PyObject* slots_[kMaxParameters] = {};
  PyObject* rest_ = nullptr;  // the tuple of several arguments
  Location at_ = caller();
};

// For the while that the library computes: other threads of Python run. Its functions run at once unless they are
// traced.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};
// f() in such a while; what becomes of its result is in Python's hands again.
template <class F>
auto unlocked(F f) {
  const Unlocked u;
  return f();
}
void ensure_eager();  // outside of traces, functions run at once

// A tensor that shares no memory with `value`, which numpy.asarray takes.
Tensor own_tensor_of(PyObject* value);
// Frames whose file is in this folder are not the user's.
void set_package_folder(std::string folder);

void define_rows(pybind11::module_& m);  // Python functions of all_rows

// The rows of generated sources, one function each.
std::vector<std::span<const Row>> all_rows();

}  // namespace tc::python
