#include <benchmark/benchmark.h>

namespace tc::kernels {
void register_gemm();
}

int main(int argc, char** argv) {
  tc::kernels::register_gemm();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
