#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "dram/device.h"

namespace eva {

/// Where a burst lies. Bank counts through all bank groups of the rank; column counts bursts.
struct BurstLocation {
  std::uint32_t channel = 0;
  std::uint32_t rank = 0;
  std::uint32_t bank = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;
};

/// Cuts an address into channel, rank, bank group, bank, row and column.
///
/// The order is written from the most to the least significant field, as `ro-ba-co-ra-bg-ch`, each
/// of the six once; the offset inside a burst lies below them. A bijection of burst numbers below
/// channels * ranks * rank_bytes / burst_bytes.
class AddressMapping {
 public:
  /// Throws std::invalid_argument for an order that does not name each field once, and for numbers
  /// of channels or ranks that are no powers of two.
  AddressMapping(const std::string& order, const DramOrganization& organization,
                 std::uint32_t channels, std::uint32_t ranks);

  /// `burst` is an address divided by the bytes of a burst.
  [[nodiscard]] BurstLocation locate(std::uint64_t burst) const {
    const auto bits = [burst](const Field& field) {
      return static_cast<std::uint32_t>(burst >> field.shift) & field.mask;
    };
    return {bits(channel_), bits(rank_), bits(bank_group_) * banks_per_group_ + bits(bank_),
            bits(row_), bits(column_)};
  }

 private:
  struct Field {
    std::uint32_t shift = 0;
    std::uint32_t mask = 0;
  };

  Field row_;
  Field rank_;
  Field bank_;
  Field bank_group_;
  Field column_;
  Field channel_;
  std::uint32_t banks_per_group_;
};

}  // namespace eva
