#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace eva {

/// A range of bus addresses, both ends inside it, so that the last byte of a 64-bit space can be
/// named and nothing wraps. Every map, bound check and loader uses this type.
class AddressRange {
 public:
  /// `size` bytes from `first`. Throws std::invalid_argument for size 0 or a range that would wrap.
  static AddressRange from_size(std::uint64_t first, std::uint64_t size) {
    if (!fits(first, size)) {
      throw std::invalid_argument("address range of " + std::to_string(size) + " bytes from " +
                                  std::to_string(first) + " is empty or wraps around");
    }
    return AddressRange(first, first + (size - 1));
  }

  /// Whether `size` bytes from `first` are a range at all: not empty and without wrapping.
  static constexpr bool fits(std::uint64_t first, std::uint64_t size) {
    return size != 0 && first <= UINT64_MAX - (size - 1);
  }

  [[nodiscard]] constexpr std::uint64_t first() const { return first_; }
  [[nodiscard]] constexpr std::uint64_t last() const { return last_; }

  [[nodiscard]] constexpr bool contains(std::uint64_t address) const {
    return first_ <= address && address <= last_;
  }
  /// Whether all of `size` bytes from `address` lie inside. An access of 0 bytes lies nowhere.
  [[nodiscard]] constexpr bool contains(std::uint64_t address, std::uint64_t size) const {
    return fits(address, size) && contains(address) && contains(address + (size - 1));
  }
  [[nodiscard]] constexpr bool overlaps(const AddressRange& other) const {
    return first_ <= other.last_ && other.first_ <= last_;
  }

 private:
  constexpr AddressRange(std::uint64_t first, std::uint64_t last) : first_(first), last_(last) {}

  std::uint64_t first_;
  std::uint64_t last_;
};

}  // namespace eva
