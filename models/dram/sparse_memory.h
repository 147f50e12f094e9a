#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace eva {

/// Bytes by offset, allocated page by page when first written. What was never written reads as 0.
class SparseMemory {
 public:
  static constexpr std::uint64_t page_bytes = std::uint64_t{64} * 1024;

  void read(std::uint64_t offset, void* data, std::uint64_t bytes) const;
  void write(std::uint64_t offset, const void* data, std::uint64_t bytes);

  [[nodiscard]] std::size_t allocated_pages() const { return pages_.size(); }

 private:
  using Page = std::array<unsigned char, page_bytes>;

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace eva
