// One row or more per name of the DSL: a call, the inputs it gets, and what NumPy makes of the same inputs. The rows
// are compared with NumPy, and docs/dsl.md is written from them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tc/ir/graph.h"
#include "tc/tc.h"

namespace tc::vocabulary {

struct Row {
  std::string name;                 // "linalg.trace" for tc::linalg::trace
  std::vector<std::string> inputs;  // see make_input
  int arity;
  dsl::FlatFunction call;
  std::string numpy;     // of the inputs a, b, c, ... with the Array API's names (numpy_peer.py)
  bool fixed = false;    // only for inputs of fixed extents
  double tolerance = 0;  // in place of the element type's: relative, and of numbers below 1 absolute
};

struct Group {
  std::string title;
  std::vector<Row> rows;

  template <class F>
  Row& add(std::string name, std::vector<std::string> inputs, F f, std::string numpy) {
    dsl::FlatFunction call;
    if constexpr (std::is_empty_v<F>)  // a plain function: most rows are such, and so they compile quickly
      call = Plain([](const std::vector<Var>& v) {
        F g;
        return dsl::Flat<F>{g}(v);
      });
    else
      call = [kept = std::make_shared<F>(f)](const std::vector<Var>& v) { return dsl::Flat<F>{*kept}(v); };
    return push(std::move(name), std::move(inputs), dsl::Flat<F>::kArity, std::move(numpy), std::move(call));
  }

 private:
  using Plain = Outputs (*)(const std::vector<Var>&);
  Row& push(std::string name, std::vector<std::string> inputs, int arity, std::string numpy, dsl::FlatFunction call);
};

Group elementwise_rows();
Group creation_rows();
Group manipulation_rows();
Group indexing_rows();
Group reduce_rows();
Group linalg_rows();
void add_decompositions(Group& linalg);
Group fft_rows();
Group nn_rows();
Group control_rows();
Group program_rows();
Group quantised_rows();
Group sequence_rows();
Group vision_rows();
Group fold_rows();
Group layer_rows();
Group numpy_elementwise_rows();
Group numpy_index_rows();
Group numpy_array_rows();
Group numpy_statistics_rows();
Group numpy_search_rows();
inline std::vector<Group> all_groups() {
  return {elementwise_rows(),
          creation_rows(),
          manipulation_rows(),
          indexing_rows(),
          reduce_rows(),
          linalg_rows(),
          fft_rows(),
          nn_rows(),
          layer_rows(),
          quantised_rows(),
          vision_rows(),
          sequence_rows(),
          control_rows(),
          fold_rows(),
          program_rows(),
          numpy_elementwise_rows(),
          numpy_array_rows(),
          numpy_index_rows(),
          numpy_statistics_rows(),
          numpy_search_rows()};
}

// "f32[2,3]" normal numbers, small integers or booleans; "f32[9]{0.5,2}" uniform in a range (of integers: with both
// ends); "f32[9]{edge}" zeros, infinities, NaNs and more; "i64[3]=2,0,1" these.
Tensor make_input(const std::string& spec, uint64_t seed);

// The ops of a graph in order, without constants: "exp, 2 mul, loop(add, less)".
std::string lowering(const Graph& g);

}  // namespace tc::vocabulary
