// What the statements of a random program are written with.
#pragma once

#include <random>
#include <span>
#include <string>
#include <vector>

#include "tc/tc.h"

namespace tc::programs {

// A value of the program.
struct Item {
  Var v;
  std::string name;
  Extents extents;
  double size;         // about as large as its elements become
  bool exact = false;  // every engine computes the same bits: comparisons are safe
  int rank() const { return static_cast<int>(extents.size()); }
  int64_t count() const { return element_count(extents); }
};

// Writes one program. The first pass finds out which inputs it takes, the second one declares them: both draw the same
// numbers.
class Writer {
 public:
  explicit Writer(uint64_t seed) : seed_(seed), random_(seed), dtype_(chance(0.15) ? f64 : f32) {}
  Writer second_pass() const;

  // --- chance
  int64_t between(int64_t low, int64_t high);  // inclusive
  int64_t below(int64_t n) { return between(0, n - 1); }
  bool chance(double p) { return std::uniform_real_distribution<double>()(random_) < p; }
  double number(double low, double high);  // with two decimals
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[static_cast<size_t>(below(static_cast<int64_t>(list.size())))];
  }
  Extents random_extents(int rank);

  // --- values
  DType dtype() const { return dtype_; }
  // A floating value of rank in [low, high]; one that has been used seldom is likelier. Made when there is none.
  Item any(int low = 0, int high = 5);
  // A new input or constant of uniform numbers.
  Item fresh(const Extents& extents, double low = -2, double high = 2);
  // The same with extents that are no symbols: of a kernel.
  Item kernel(const Extents& extents);
  Item fresh_ints(const Extents& extents, int64_t low, int64_t high, DType t = i64);
  // A value that broadcasts with a: another one of the program, or a new one.
  Item partner(const Item& a);
  // A condition on a new input that broadcasts with a.
  Item condition(const Item& a);
  // Appends a statement. Its value can be used from then on, unless it is too large.
  Item add(const std::string& text, Var v, double size, bool exact = false);
  // An auxiliary value, not drawn again.
  Item aside(const std::string& text, Var v, double size, bool exact = false);
  // a itself, or a made smaller.
  Item bounded(const Item& a, double limit);
  Item positive(const Item& a);  // at least one half
  Item unit(const Item& a);      // between -0.9 and 0.9
  static constexpr int64_t kMaxElements = 2000;

  // --- the two passes
  // The outputs of the whole program: statements, and then a loss.
  Outputs write(const std::vector<Var>& inputs, bool first_pass);
  struct Given {
    Tensor value;
    bool fixed;  // its extents are no symbols
  };
  std::vector<Given> inputs;  // those of the first pass
  std::string text;

 private:
  Var source(const Tensor& t, const std::string& name, bool is_input, bool fixed = false);
  Item named(const std::string& text, Var v, double size, bool exact);
  Tensor uniform(DType t, const Extents& extents, double low, double high);

  uint64_t seed_;
  std::mt19937_64 random_;
  DType dtype_;
  bool first_pass_ = false;
  std::vector<Var> given_;
  size_t taken_ = 0;
  int names_ = 0;
  std::vector<Item> items_;
  std::vector<int> uses_;
  // Of every value, in order: the second pass sees symbols in their place.
  std::vector<Extents> extents_;
  size_t seen_ = 0;
};

// Each appends one statement, or none when nothing fits.
using Statement = void (*)(Writer&);
std::span<const Statement> elementwise_statements();
std::span<const Statement> reduction_statements();
std::span<const Statement> product_statements();
std::span<const Statement> movement_statements();
std::span<const Statement> indexing_statements();
std::span<const Statement> norm_statements();
std::span<const Statement> spatial_statements();

// {1, 2}
std::string list(const std::vector<int64_t>& values);

}  // namespace tc::programs
