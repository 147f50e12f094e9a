#pragma once

#include <vector>

#include "eva/boot.h"
#include "platform/scenario.h"

namespace eva {

/// Where everything lies in the memory of the board, as bus addresses.
struct MemoryImage {
  std::uint64_t boot_table_address = 0;
  eva_boot_table boot_table{};
  std::vector<eva_layer> layers;
};

/// Lays out boot table, ring and the operands of all layers. Throws std::invalid_argument, with the
/// sum, if they do not fit the memory.
MemoryImage lay_out(const Scenario& scenario);

}  // namespace eva
