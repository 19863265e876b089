#include "tc/ir/pages.h"

#include <sys/mman.h>

#include <cstdint>

#include "tc/ir/diag.h"

namespace tc {
void* map_pages(size_t& bytes) {
  bytes = page_bytes(bytes);
  const bool huge = bytes >= kHugePage;
  const size_t slack = huge ? kHugePage : 0;
  void* p = mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) fail(ErrorCode::limit_memory, "out of memory: ", bytes, " bytes");
  if (!huge) return p;
  const auto at = reinterpret_cast<uintptr_t>(p), aligned = (at + kHugePage - 1) / kHugePage * kHugePage;
  if (aligned > at) munmap(p, aligned - at);
  if (at + slack > aligned) munmap(reinterpret_cast<void*>(aligned + bytes), at + slack - aligned);
  madvise(reinterpret_cast<void*>(aligned), bytes, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(aligned);
}

void unmap_pages(void* data, size_t bytes) {
  munmap(data, bytes);
}

}  // namespace tc
