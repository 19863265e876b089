#include "tc/kernels/elementwise/strip_bytes.h"
#include "tc/kernels/elementwise/strip_engine.h"

namespace tc::kernels {
namespace {

Status run_f32(const StripArgs& args, int64_t begin, int64_t end) {
  if (run_bytes(args, begin, end)) return {};
  return run_program<float>(args, begin, end);
}

}  // namespace

StripRunFn TC_TIER_NAME(strip_f64), TC_TIER_NAME(strip_i32), TC_TIER_NAME(strip_i64);

extern constinit const StripTable TC_TIER_NAME(strip_table){
    .f32 = TC_KERNEL(run_f32, "strip_f32"),
    .f64 = TC_KERNEL(TC_TIER_NAME(strip_f64), "strip_f64"),
    .i32 = TC_KERNEL(TC_TIER_NAME(strip_i32), "strip_i32"),
    .i64 = TC_KERNEL(TC_TIER_NAME(strip_i64), "strip_i64"),
};

}  // namespace tc::kernels
