#pragma once

#include <cstdint>
#include <vector>

#include "base/parameters.h"

namespace eva {

/// Which bank an element of a tile lies in.
enum class BankMapping {
  row,   ///< bank = row modulo banks: EVA's mapping, look-ups of different rows never collide
  entry  ///< consecutive entries share a bank, as a plain codebook memory has them
};

/// Cycles that one parallel access takes: as many as the fullest bank has different addresses to
/// read. Lanes that read the same address of a bank share one read.
class BankConflicts {
 public:
  explicit BankConflicts(std::uint64_t banks) : addresses_(banks) {}

  void add(std::uint64_t bank, std::uint64_t address);
  /// The cycles of what was added since the last call; 0 if nothing was.
  std::uint64_t finish();

 private:
  std::vector<std::vector<std::uint64_t>> addresses_;
  std::vector<std::uint64_t> used_banks_;
};

}  // namespace eva
