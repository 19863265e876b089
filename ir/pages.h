#pragma once
#include <cstddef>

namespace tc {

inline constexpr size_t kPage = 4096, kHugePage = size_t{2} << 20;
// Blocks from this size on are mapped, so that letting go of them gives the pages back.
inline constexpr size_t kLeastMapped = kHugePage / 2;

// Bytes of the pages that so many take: huge ones but for an end that would fill less than half of one.
constexpr size_t page_bytes(size_t bytes) {
  const size_t page = bytes % kHugePage >= kHugePage / 2 ? kHugePage : kPage;
  return bytes == 0 ? kPage : (bytes + page - 1) / page * page;
}

// Fresh zeroed pages, page_bytes of them. Virtual machines translate an address twice: what no cache holds any more, 11
// MB on small pages, took a Xeon's guest 25 ms to read, on huge ones 0.7. Fails with limit_memory.
void* map_pages(size_t& bytes);
void unmap_pages(void* data, size_t bytes);

}  // namespace tc
