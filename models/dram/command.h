#pragma once

#include <cstdint>

namespace eva {

enum class DramCommandKind { activate, precharge, precharge_all, read, write, refresh };

/// A command on the command bus of a channel. Bank counts through all bank groups of the rank;
/// column counts bursts.
struct DramCommand {
  DramCommandKind kind = DramCommandKind::activate;
  std::uint64_t clock = 0;
  std::uint32_t rank = 0;
  std::uint32_t bank = 0;    ///< not of precharge_all and refresh
  std::uint32_t row = 0;     ///< of activate, read and write
  std::uint32_t column = 0;  ///< of read and write
};

}  // namespace eva
