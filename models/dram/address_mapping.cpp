#include "dram/address_mapping.h"

#include <sstream>
#include <stdexcept>

namespace eva {
namespace {

std::uint32_t width_of(std::uint32_t count, const char* what) {
  std::uint32_t width = 0;
  while ((1U << width) < count && width < 31)
    ++width;
  if (count != 1U << width) {
    throw std::invalid_argument(std::to_string(count) + " " + what + ", expected a power of two");
  }
  return width;
}

}  // namespace

AddressMapping::AddressMapping(const std::string& order, const DramOrganization& organization,
                               std::uint32_t channels, std::uint32_t ranks)
    : banks_per_group_(organization.banks_per_group) {
  struct Slot {
    const char* name;
    Field* field;
    std::uint32_t width;
    bool placed;
  };
  std::array<Slot, 6> slots = {{
      {"ro", &row_, width_of(organization.rows, "rows"), false},
      {"ra", &rank_, width_of(ranks, "ranks"), false},
      {"ba", &bank_, width_of(organization.banks_per_group, "banks"), false},
      {"bg", &bank_group_, width_of(organization.bank_groups, "bank groups"), false},
      {"co", &column_, width_of(organization.bursts_per_row(), "bursts of a row"), false},
      {"ch", &channel_, width_of(channels, "channels"), false},
  }};
  std::vector<std::string> names;
  std::istringstream text(order);
  for (std::string name; std::getline(text, name, '-');)
    names.push_back(name);

  std::uint32_t shift = 0;
  std::size_t placed = 0;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    for (Slot& slot : slots) {
      if (slot.placed || *name != slot.name) continue;
      *slot.field = {shift, (1U << slot.width) - 1};
      shift += slot.width;
      slot.placed = true;
      ++placed;
      break;
    }
  }
  if (placed != slots.size() || names.size() != slots.size()) {
    throw std::invalid_argument("address mapping '" + order +
                                "', expected ro, ra, ba, bg, co and ch once each, most "
                                "significant first, like ro-ba-co-ra-bg-ch");
  }
}

}  // namespace eva
