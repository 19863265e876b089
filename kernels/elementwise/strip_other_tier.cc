#include "tc/kernels/elementwise/strip_engine.h"

namespace tc::kernels {

StripRunFn TC_TIER_NAME(strip_f64), TC_TIER_NAME(strip_i32), TC_TIER_NAME(strip_i64);

Status TC_TIER_NAME(strip_f64)(const StripArgs& args, int64_t begin, int64_t end) {
  return run_program<double>(args, begin, end);
}
Status TC_TIER_NAME(strip_i32)(const StripArgs& args, int64_t begin, int64_t end) {
  return run_program<int32_t>(args, begin, end);
}
Status TC_TIER_NAME(strip_i64)(const StripArgs& args, int64_t begin, int64_t end) {
  return run_program<int64_t>(args, begin, end);
}

}  // namespace tc::kernels
