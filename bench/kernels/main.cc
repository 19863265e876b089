#include <benchmark/benchmark.h>

namespace tc::kernels {
void register_gemm();
void register_conv();
}  // namespace tc::kernels

int main(int argc, char** argv) {
  tc::kernels::register_gemm();
  tc::kernels::register_conv();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
