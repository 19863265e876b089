// What a worker's scratch keeps from one tile of a plan to the next. Only *_tier.cc and *_amx.cc files include it.
#pragma once
#include <cstdint>
#include <cstring>

#include "tc/kernels/conv/conv.h"

namespace tc::kernels {
namespace {

// Whether a scratch holds the input of the running call's region `region` already: if not, it is the caller's turn to
// bring it. See kScratchHead.
inline bool holds(float* scratch, int64_t region) {
  int64_t held;
  std::memcpy(&held, scratch, sizeof held);
  if (held == region + 1) return true;
  held = region + 1;
  std::memcpy(scratch, &held, sizeof held);
  return false;
}

}  // namespace
}  // namespace tc::kernels
