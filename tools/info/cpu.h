// What the machine can do: facts from the system, and rates that are measured.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tc {

struct MachineRates {
  struct Gemm {
    std::string tier;
    double one_thread = 0, all_threads = 0;  // GFLOP/s of a 512x512x512 f32 product
  };
  std::vector<Gemm> gemm;
  struct Copy {
    std::string level;
    double one_thread = 0, all_threads = 0;  // GB/s, reading and writing counted
  };
  std::vector<Copy> copy;
};

// Takes about a second.
MachineRates measure_machine();

std::string cpu_text(const MachineRates* rates);
nlohmann::json cpu_json(const MachineRates* rates);

}  // namespace tc
