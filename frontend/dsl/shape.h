// Extents, shapes and axes as arguments of DSL functions.
#pragma once

#include <optional>

#include "tc/frontend/dsl/var.h"

namespace tc {

// A number, the name of a symbol, an expression of symbols (x.dim(0) * 2), or a scalar integer that the program
// computes.
class Extent {
 public:
  template <std::integral T>
  Extent(T n) : dim_(static_cast<int64_t>(n)) {}
  Extent(const char* symbol) : dim_(Dim::symbol(symbol)) {}
  Extent(const std::string& symbol) : dim_(Dim::symbol(symbol)) {}
  Extent(Dim d) : dim_(std::move(d)) {}
  Extent(Var v) : var_(std::move(v)) {}
  bool dynamic() const { return var_.defined(); }
  const Dim& dim() const { return dim_; }  // unless dynamic
  const Var& var() const { return var_; }

 private:
  Dim dim_;
  Var var_;
};

// {2, "n", x.dim(0)}, x.shape(), or a rank-1 integer Var.
class ShapeArg {
 public:
  ShapeArg(std::initializer_list<Extent> list) : list_(list) {}
  ShapeArg(std::vector<Extent> list) : list_(std::move(list)) {}
  ShapeArg(const Dims& dims) : list_(dims.begin(), dims.end()) {}
  ShapeArg(const std::vector<int64_t>& extents) : list_(extents.begin(), extents.end()) {}
  ShapeArg(Var shape) : var_(std::move(shape)) {}
  bool dynamic() const { return var_.defined(); }
  const Var& var() const { return var_; }
  const std::vector<Extent>& extents() const { return list_; }  // unless dynamic
  std::optional<Dims> dims() const;                             // when no extent is dynamic

 private:
  std::vector<Extent> list_;
  Var var_;
};

// One axis, several, or all of them: 1, {0, -1}, {}.
class Axes {
 public:
  Axes() = default;  // all
  template <std::integral T>
  Axes(T axis) : list_{static_cast<int64_t>(axis)}, all_(false) {}
  Axes(std::initializer_list<int64_t> list) : list_(list), all_(list.size() == 0) {}
  Axes(std::vector<int64_t> list) : list_(std::move(list)), all_(false) {}
  bool all() const { return all_; }
  const std::vector<int64_t>& list() const { return list_; }

 private:
  std::vector<int64_t> list_;
  bool all_ = true;
};

// The number of an axis where it is an argument of its own: sum(x, 0). Overloads with it are templates, which {} does
// not mean.
template <class T>
concept AxisNumber = std::integral<T> && !std::same_as<T, bool>;

// One number per spatial axis, one for all of them, or {} for what is usual: {2, 1}, 2.
class PerAxis {
 public:
  PerAxis() = default;
  template <AxisNumber T>
  PerAxis(T all) : list_{static_cast<int64_t>(all)}, one_for_all_(true) {}
  PerAxis(std::initializer_list<int64_t> list) : list_(list) {}
  PerAxis(std::vector<int64_t> list) : list_(std::move(list)) {}
  // For so many axes; lists as they are.
  std::vector<int64_t> of(size_t axes) const { return one_for_all_ ? std::vector<int64_t>(axes, list_[0]) : list_; }

 private:
  std::vector<int64_t> list_;
  bool one_for_all_ = false;
};

}  // namespace tc
