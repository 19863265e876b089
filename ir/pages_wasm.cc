// Pages in WebAssembly: memory only grows, so that they are blocks of the heap. What it has just grown by is zero, and
// the system gives it when it is touched: 342 MB took 1.7 s to fill.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tc/ir/diag.h"
#include "tc/ir/pages.h"

namespace tc {

void* map_pages(size_t& bytes) {
  const size_t wanted = bytes;
  bytes = (std::max<size_t>(bytes, 1) + kPage - 1) / kPage * kPage;
  const size_t used = __builtin_wasm_memory_size(0) * (size_t{64} << 10);  // 0 of 4 GB, where nothing more can grow
  void* const p = bytes >= wanted ? std::aligned_alloc(kPage, bytes) : nullptr;
  if (p == nullptr) fail(ErrorCode::limit_memory, "out of memory: ", wanted, " bytes");
  const auto at = reinterpret_cast<size_t>(p);
  if (used == 0 || at < used) std::memset(p, 0, used == 0 ? bytes : std::min(bytes, used - at));
  return p;
}

void unmap_pages(void* data, size_t) {
  std::free(data);
}

}  // namespace tc
