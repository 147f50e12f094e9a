#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/address_range.h"

namespace eva {

/// Which window of the bus an address belongs to.
class AddressMap {
 public:
  struct Window {
    std::string name;
    AddressRange range;
  };

  /// Throws std::invalid_argument that names both when the new window overlaps an earlier one.
  void add(const Window& window);

  /// The window that holds all of `bytes` from `address`; an access must lie in one window.
  [[nodiscard]] std::optional<std::size_t> find(std::uint64_t address, std::uint64_t bytes) const;

  [[nodiscard]] const std::vector<Window>& windows() const { return windows_; }

 private:
  std::vector<Window> windows_;
};

}  // namespace eva
