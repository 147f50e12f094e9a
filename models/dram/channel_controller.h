#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/histogram.h"
#include "base/parameters.h"
#include "dram/address_mapping.h"
#include "dram/command.h"
#include "dram/device.h"

namespace eva {

enum class PagePolicy { open, closed };

struct ControllerParameters {
  PagePolicy page_policy = PagePolicy::open;
  std::uint64_t read_queue = 32;
  std::uint64_t write_queue = 32;
  std::uint64_t write_high = 28;
  std::uint64_t write_low = 4;
  std::uint64_t starvation_clocks = 1024;
  bool refresh = true;

  void visit(ParameterVisitor& visitor) {
    visit_choice(visitor, "page_policy", page_policy, {"open", "closed"},
                 "whether a row stays open that nobody waits for");
    visitor.integer("read_queue", read_queue, {1, 1024}, "reads that a channel holds");
    visitor.integer("write_queue", write_queue, {1, 1024}, "writes that a channel holds");
    visitor.integer("write_high", write_high, {1, 1024}, "waiting writes that start a drain");
    visitor.integer("write_low", write_low, {0, 1023}, "waiting writes at which a drain stops");
    visitor.integer("starvation_clocks", starvation_clocks, {1, 1'000'000},
                    "memory clocks after which the oldest request goes first");
    visitor.boolean("refresh", refresh, "whether rows are refreshed");
  }
};

/// What a channel counts. Durations are in clocks of the memory.
///
/// Every clock of the data bus is of one kind: `busy`, or a gap that is charged to what the burst
/// after it waited for.
struct ChannelStatistics {
  std::uint64_t elapsed = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t forwarded_reads = 0;  ///< served from a waiting write, not among `reads`
  std::uint64_t row_hits = 0;
  std::uint64_t row_misses = 0;     ///< the bank was closed
  std::uint64_t row_conflicts = 0;  ///< another row was open
  std::uint64_t activates = 0;
  std::uint64_t refreshes = 0;
  std::uint64_t busy = 0;
  std::uint64_t idle = 0;        ///< nothing was asked for
  std::uint64_t refresh = 0;     ///< a refresh, with the precharge before and the activate after it
  std::uint64_t row = 0;         ///< precharge and activate
  std::uint64_t turnaround = 0;  ///< between reads and writes, or between ranks
  std::uint64_t bank_group = 0;  ///< tCCD_L - tCCD_S
  std::uint64_t rank_open = 0;   ///< clocks with a bank open, summed over ranks
  std::uint64_t waiting_reads = 0;   ///< clocks that reads lay in the queue, summed
  std::uint64_t waiting_writes = 0;  ///< the same of writes
  Histogram read_latency;            ///< from entering the queue to the last data

  void add(const ChannelStatistics& other);
};

/// Told when the data of a burst have their time.
class BurstSink {
 public:
  virtual ~BurstSink() = default;
  virtual void on_burst(std::uint32_t tag, std::uint64_t first_data, std::uint64_t last_data) = 0;
};

/// Controller and device of one memory channel: first-ready first-come first-served scheduling over
/// banks whose timing follows JEDEC, one command a clock.
///
/// Time is the number of a clock and jumps from command to command. A burst that enters in clock t
/// may cause commands from t + 1 on. Of all commands that could be next, the earliest goes; of
/// those in one clock, a READ or WRITE before a row command, then the older burst. Reads go before
/// writes until `write_high` writes wait, or no read does; writes then go until `write_low` are
/// left. The oldest burst goes first once it has waited for `starvation_clocks`. A read of what a
/// waiting write will write is served from it, a clock later.
class ChannelController {
 public:
  /// The device must have at most 64 banks in all ranks and 8 bank groups.
  ChannelController(const DramDevice& device, const ControllerParameters& parameters,
                    std::uint32_t ranks, BurstSink& sink);

  [[nodiscard]] bool has_room(bool write) const {
    return waiting_[write ? 1 : 0].size < capacity_[write ? 1 : 0];
  }
  /// There must be room, and time must have advanced to `clock`.
  void push(std::uint64_t clock, bool write, const BurstLocation& location, std::uint32_t tag);

  /// Issues all commands up to and including clock `until`; never goes back.
  void advance(std::uint64_t until) {
    while (next_command() <= until)
      issue();
  }
  /// Issues commands up to clock `until` or until there is room; returns whether there is.
  bool advance_to_room(bool write, std::uint64_t until);
  /// The clock of the last command.
  [[nodiscard]] std::uint64_t last_command() const { return floor_ - 1; }

  [[nodiscard]] bool empty() const { return waiting_[0].size == 0 && waiting_[1].size == 0; }
  /// Counts up to `clock`, to which time must have advanced.
  [[nodiscard]] ChannelStatistics statistics(std::uint64_t clock) const;

  /// Is told every command, in order.
  std::function<void(const DramCommand&)> on_command;

 private:
  static constexpr std::uint16_t none = UINT16_MAX;
  static constexpr std::uint64_t never = UINT64_MAX;

  /// A waiting burst: a link of the list of its bank, oldest first, and of the list of all.
  struct Entry {
    std::uint64_t arrival;
    std::uint64_t sequence;
    std::uint32_t row;
    std::uint32_t column;
    std::uint32_t tag;
    std::uint16_t bank;  ///< of all ranks
    std::uint16_t next_in_bank;
    std::uint16_t previous_in_bank;
    std::uint16_t next;
    std::uint16_t previous;
    bool activated;
    bool precharged;
  };
  struct List {
    std::uint16_t head = none;
    std::uint16_t tail = none;
  };
  struct Waiting : List {
    std::size_t size = 0;
    std::uint64_t banks = 0;  ///< a bit for each bank that has entries
  };
  struct Bank {
    std::uint32_t row = 0;
    std::uint32_t rank = 0;
    std::uint32_t group = 0;
    std::uint64_t activate = 0;  ///< earliest clock of each command, as far as the bank decides
    std::uint64_t precharge = 0;
    std::uint64_t column = 0;
    std::array<List, 2> queue;
    std::array<std::uint16_t, 2> hit{none, none};  ///< oldest burst to the open row
  };
  struct Rank {
    std::uint64_t activate = 0;
    std::array<std::uint64_t, 8> activate_in_group{};
    std::array<std::uint64_t, 4> activates{};  ///< clock + tFAW of the last four
    std::size_t oldest_activate = 0;
    std::array<std::uint64_t, 2> column{};
    std::array<std::array<std::uint64_t, 8>, 2> column_in_group{};
    std::uint64_t banks = 0;    ///< a bit for each of its banks
    std::uint64_t refresh = 0;  ///< earliest REFRESH with all banks closed
    std::uint64_t refresh_due = never;
    std::uint64_t refreshed = 0;  ///< end of the last
    std::uint32_t open_banks = 0;
    std::uint64_t open_since = 0;
  };
  enum class Priority : std::uint8_t { first, column, row, housekeeping };
  struct Candidate {
    std::uint64_t clock = never;
    std::uint64_t sequence = 0;
    Priority priority = Priority::first;
    DramCommandKind kind = DramCommandKind::refresh;
    std::uint16_t bank = 0;
    std::uint16_t entry = none;
    std::uint32_t rank = 0;
  };

  std::uint64_t next_command() {
    if (!decided_) decide();
    return next_.clock;
  }
  void decide();
  void choose_direction();
  [[nodiscard]] bool starves(std::size_t direction) const;
  [[nodiscard]] std::uint64_t earliest_column(const Rank& rank) const;
  [[nodiscard]] std::uint64_t earliest_activate(const Rank& rank) const;
  void consider(std::uint64_t clock, Priority priority, DramCommandKind kind, std::uint16_t bank,
                std::uint16_t entry);
  void consider_columns(const Rank& rank);
  void consider_activates(const Rank& rank);
  void consider_precharges(const Rank& rank);
  void consider_starving();
  void consider_refresh();
  void consider_closing();
  void issue();
  void activate(const Candidate& command);
  void precharge(std::uint16_t bank, std::uint64_t clock);
  void find_hit(std::uint16_t bank, std::size_t direction, std::uint16_t from);
  [[nodiscard]] bool is_open(std::uint16_t bank) const { return (open_ >> bank & 1) != 0; }
  void precharge_all(const Candidate& command);
  void refresh(const Candidate& command);
  void column(const Candidate& command);
  void charge_gap(const Entry& entry, std::uint64_t first_data);
  [[nodiscard]] bool forwards(std::uint16_t bank, const BurstLocation& location) const;
  void link(std::size_t direction, std::uint16_t index);
  void unlink(std::size_t direction, std::uint16_t index);
  void report(const Candidate& command);

  const DramTiming timing_;
  const std::uint32_t burst_clocks_;
  const std::uint32_t banks_per_rank_;
  const std::array<std::uint32_t, 2> latency_;  ///< CL and CWL: command to first data
  const ControllerParameters parameters_;
  const std::array<std::size_t, 2> capacity_;
  BurstSink& sink_;

  std::vector<Entry> entries_;
  std::vector<std::uint16_t> free_;
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
  std::array<Waiting, 2> waiting_;  ///< reads, writes
  std::size_t direction_ = 0;       ///< 0: reads go, 1: writes
  std::size_t last_direction_ = 0;
  std::uint32_t last_rank_ = 0;
  std::uint64_t open_ = 0;               ///< a bit for each open bank
  std::array<std::uint64_t, 2> hits_{};  ///< and for each with a burst to its open row
  std::uint64_t closing_ = 0;  ///< a bit for each bank to precharge under the closed page policy
  std::uint64_t floor_ = 1;    ///< earliest clock of the next command
  std::uint64_t sequence_ = 0;
  std::uint64_t bus_free_ = 0;
  std::uint64_t wanted_since_ = 0;  ///< since when there has always been a burst waiting
  bool decided_ = false;
  Candidate next_;
  ChannelStatistics statistics_;
};

}  // namespace eva
