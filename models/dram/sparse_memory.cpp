#include "dram/sparse_memory.h"

#include <algorithm>
#include <cstring>

namespace eva {

void SparseMemory::read(std::uint64_t offset, void* data, std::uint64_t bytes) const {
  auto* target = static_cast<unsigned char*>(data);
  while (bytes > 0) {
    const std::uint64_t in_page = offset % page_bytes;
    const std::uint64_t count = std::min(bytes, page_bytes - in_page);
    const auto page = pages_.find(offset / page_bytes);
    if (page == pages_.end()) {
      std::memset(target, 0, count);
    } else {
      std::memcpy(target, page->second->data() + in_page, count);
    }
    target += count;
    offset += count;
    bytes -= count;
  }
}

void SparseMemory::write(std::uint64_t offset, const void* data, std::uint64_t bytes) {
  const auto* source = static_cast<const unsigned char*>(data);
  while (bytes > 0) {
    const std::uint64_t in_page = offset % page_bytes;
    const std::uint64_t count = std::min(bytes, page_bytes - in_page);
    std::unique_ptr<Page>& page = pages_[offset / page_bytes];
    if (!page) page = std::make_unique<Page>();
    std::memcpy(page->data() + in_page, source, count);
    source += count;
    offset += count;
    bytes -= count;
  }
}

}  // namespace eva
