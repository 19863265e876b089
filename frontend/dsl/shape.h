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

}  // namespace tc
