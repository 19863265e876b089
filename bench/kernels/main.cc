#include <benchmark/benchmark.h>

#include <vector>

namespace tc::kernels {
void register_gemm();
void register_conv();
void register_operators();
}  // namespace tc::kernels

int main(int argc, char** argv) {
  tc::kernels::register_gemm();
  tc::kernels::register_conv();
  tc::kernels::register_operators();
  // There are thousands: a tenth of the default each. What is given comes later and counts.
  char briefly[] = "--benchmark_min_time=0.05";
  std::vector<char*> args(argv, argv + argc);
  args.insert(args.begin() + 1, briefly);
  int count = static_cast<int>(args.size());
  benchmark::Initialize(&count, args.data());
  if (benchmark::ReportUnrecognizedArguments(count, args.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
