#include "buffers/banking.h"

#include <algorithm>

namespace eva {

void BankConflicts::add(std::uint64_t bank, std::uint64_t address) {
  std::vector<std::uint64_t>& addresses = addresses_[bank];
  if (addresses.empty()) used_banks_.push_back(bank);
  if (std::find(addresses.begin(), addresses.end(), address) == addresses.end()) {
    addresses.push_back(address);
  }
}

std::uint64_t BankConflicts::finish() {
  std::uint64_t cycles = 0;
  for (const std::uint64_t bank : used_banks_) {
    cycles = std::max<std::uint64_t>(cycles, addresses_[bank].size());
    addresses_[bank].clear();
  }
  used_banks_.clear();
  return cycles;
}

}  // namespace eva
