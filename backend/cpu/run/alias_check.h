// A check that no step writes over a value that a later one still reads. Every buffer has a checksum from the step that
// wrote it last to the one that reads it last, and all of them are compared after every step. Slow: for tests, and for
// whoever doubts a result. The environment variable TC_CHECK=alias turns it on.
#pragma once

#include <cstdint>
#include <vector>

namespace tc::cpu {

class Frame;

class AliasCheck {
 public:
  static bool enabled();

  // Before the first step: arguments, captured values and small constants have their values.
  void begin(const Frame& f);
  // After step `step`. Error `internal` at its node when a value that it does not write has changed.
  void after(const Frame& f, int step);

 private:
  struct Watch {
    int slot = -1;  // that was written last
    int writer = -1;
    uint64_t sum = 0;
  };
  std::vector<Watch> buffers_;
};

}  // namespace tc::cpu
