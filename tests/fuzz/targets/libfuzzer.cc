// The entry of libFuzzer for the target TC_FUZZ_TARGET.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tc::fuzz::Target;
  static const Target& target =
      *std::ranges::find(tc::fuzz::targets(), std::string_view(TC_FUZZ_TARGET), &Target::name);
  target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
