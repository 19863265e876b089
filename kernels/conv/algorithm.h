// A row of the table of convolution algorithms: all that choosing, planning and packing know of one. A file of this
// folder defines it as `constexpr ConvRow conv_row_<name>`, after a row of algorithms.def. Private to kernels/conv and
// its tests.
#pragma once
#include "tc/kernels/conv/choice.h"
#include "tc/kernels/conv/conv.h"

namespace tc::kernels {

struct ConvRow {
  // Why it cannot compute a shape; null: it can.
  const char* (*refuses)(ConvAlgorithm, const ConvShape&);
  // Why it is not worth a look where it could be used; null: it competes, and the least cost wins.
  const char* (*declines)(ConvAlgorithm, const ConvQuery&);
  // In multiply-adds of a direct convolution at the machine's peak.
  double (*cost)(ConvAlgorithm, const ConvQuery&);
  void (*plan)(ConvPlan&, const ConvShape&, int width);
  int64_t (*packed_floats)(ConvAlgorithm, const ConvShape&);
  int64_t (*pack_tiles)(ConvAlgorithm, const ConvShape&);
  void (*pack)(const ConvTable&, ConvAlgorithm, const ConvShape&, const float* w, int64_t tile, float* dst);
  double ns_per_flop;  // shows whether a call is worth a second thread
  // With plain operands, where `blocked` would be chosen if reorders were free: why that stays; null: this row takes
  // its place. No function: it stays.
  const char* (*stays)(const ConvQuery&, ConvAlgorithm blocked) = nullptr;
  bool special = false;           // wins wherever it competes: made for such shapes alone
  bool constant_weights = false;  // packing costs too much for each run
  bool needs_pads = false;        // asks ConvQuery::padded
};

#define TC_CONV_ALGORITHM(name, ...) extern const ConvRow conv_row_##name;
#include "tc/kernels/conv/algorithms.def"
#undef TC_CONV_ALGORITHM

const ConvRow& conv_row(ConvAlgorithm algorithm);

}  // namespace tc::kernels
