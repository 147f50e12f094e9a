#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/operands.h"
#include "platform/scenario.h"

namespace eva {

/// What comparing outputs with the golden model found.
struct GoldenCheck {
  std::uint64_t compared = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t max_ulp = 0;  ///< largest distance in representable numbers
  std::string first_mismatch;

  /// Compares [tokens][outputs] of a layer, as unpack_outputs gives them.
  void compare(const LayerParameters& layer, const std::vector<std::uint16_t>& outputs,
               const std::vector<std::uint16_t>& expected);
};

/// The outputs of a layer by the golden model, with the options of the scenario's chip and the
/// tiles that the firmware plans for it: [tokens][outputs], INT8 sign-extended.
std::vector<std::uint16_t> golden_outputs(const Scenario& scenario, const LayerParameters& layer,
                                          const Operands& operands);

}  // namespace eva
