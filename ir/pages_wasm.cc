// Pages in WebAssembly: memory only grows, so that they are blocks of the heap.
#include <cstdlib>
#include <cstring>

#include "tc/ir/diag.h"
#include "tc/ir/pages.h"

namespace tc {

void* map_pages(size_t& bytes) {
  const size_t wanted = bytes;
  bytes = page_bytes(bytes);
  void* const p = bytes >= wanted ? std::aligned_alloc(kPage, bytes) : nullptr;
  if (p == nullptr) fail(ErrorCode::limit_memory, "out of memory: ", wanted, " bytes");
  return std::memset(p, 0, bytes);
}

void unmap_pages(void* data, size_t) {
  std::free(data);
}

}  // namespace tc
