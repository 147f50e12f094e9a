#include "bus/address_map.h"

#include <stdexcept>

namespace eva {

void AddressMap::add(const Window& window) {
  for (const Window& other : windows_) {
    if (window.range.overlaps(other.range)) {
      throw std::invalid_argument("window '" + window.name + "' overlaps window '" + other.name +
                                  "'");
    }
  }
  windows_.push_back(window);
}

std::optional<std::size_t> AddressMap::find(std::uint64_t address, std::uint64_t bytes) const {
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    if (windows_[i].range.contains(address, bytes)) return i;
  }
  return std::nullopt;
}

}  // namespace eva
