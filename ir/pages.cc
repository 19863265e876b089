#include "tc/ir/pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "tc/ir/diag.h"

namespace tc {
namespace {

constexpr size_t round_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

}  // namespace

void* map_pages(size_t& bytes) {
  bytes = round_up(std::max<size_t>(bytes, 1), bytes % kHugePage >= kHugePage / 2 ? kHugePage : kPage);
  const bool huge = bytes >= kHugePage;
  const size_t slack = huge ? kHugePage : 0;
  void* p = mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) fail(ErrorCode::limit_memory, "out of memory: ", bytes, " bytes");
  if (!huge) return p;
  const auto at = reinterpret_cast<uintptr_t>(p), aligned = round_up(at, kHugePage);
  if (aligned > at) munmap(p, aligned - at);
  if (at + slack > aligned) munmap(reinterpret_cast<void*>(aligned + bytes), at + slack - aligned);
  madvise(reinterpret_cast<void*>(aligned), bytes, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(aligned);
}

void unmap_pages(void* data, size_t bytes) {
  munmap(data, bytes);
}

}  // namespace tc
