// Where values of known sizes and lifetimes lie in one piece of memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tc::cpu {

struct PlacedBlock {
  size_t bytes;       // a multiple of 64
  int first, last;    // steps: the one that writes it first, and the last that reads it
  size_t offset = 0;  // found
};

// The value in block `part` is the whole's bytes from `offset` on; the step that defines one of the two reads the
// other, for the last time.
struct JointBlocks {
  int part, whole;  // indices of blocks
  size_t offset;
};

// Gives every block an offset, so that blocks of overlapping lifetimes do not overlap, and parts lie in their wholes
// where that is possible and takes little more memory. Returns how many bytes all take. Greedy by size: each block at
// the lowest offset that is free over its lifetime (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
// Inference", 2020).
size_t place_blocks(std::vector<PlacedBlock>& blocks, std::span<const JointBlocks> joints);

}  // namespace tc::cpu
