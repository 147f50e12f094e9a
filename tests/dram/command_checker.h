#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "dram/command.h"
#include "dram/device.h"

namespace eva::test {

/// Checks the commands of a channel against the rules of JESD79-4 and its kin, one rule at a time.
/// Knows nothing of the controller: it keeps the clocks of past commands and measures distances.
class CommandChecker {
 public:
  CommandChecker(const DramDevice& device, std::uint32_t ranks, bool refresh = true);

  /// In the order of time.
  void check(const DramCommand& command);
  /// The stream ends at `clock`: were there enough refreshes up to here?
  void finish(std::uint64_t clock);

  /// The first few, in words.
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  [[nodiscard]] std::uint64_t refreshes(std::uint32_t rank) const { return ranks_[rank].refreshes; }
  [[nodiscard]] std::uint64_t longest_refresh_interval(std::uint32_t rank) const {
    return ranks_[rank].longest_interval;
  }

 private:
  /// Clock of a past command; far enough back when there was none.
  using Past = std::int64_t;
  static constexpr Past never = -1'000'000'000;

  struct Bank {
    bool open = false;
    std::uint32_t row = 0;
    Past activate = never;
    Past precharge = never;
    Past read = never;
    Past write = never;
  };
  struct Rank {
    std::vector<Bank> banks;
    std::array<Past, 4> activates{never, never, never, never};  ///< the last four, oldest first
    Past precharge_all = never;
    Past refresh = never;
    std::uint64_t refreshes = 0;
    std::uint64_t longest_interval = 0;
  };

  void check_activate(const DramCommand& command);
  void check_column(const DramCommand& command, bool write);
  void check_precharge(const DramCommand& command, std::uint32_t bank);
  void check_refresh(const DramCommand& command);
  void note_interval(std::uint32_t rank, std::uint64_t clock);
  void distance(const DramCommand& command, const char* rule, Past since, std::uint64_t least);
  void require(const DramCommand& command, bool holds, const std::string& rule);

  DramDevice device_;
  bool refresh_;
  std::vector<Rank> ranks_;
  Past last_command_ = never;
  Past data_end_ = never;
  std::uint32_t data_rank_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace eva::test
