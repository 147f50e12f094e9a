#include "dram/command_checker.h"

#include <algorithm>

namespace eva::test {

CommandChecker::CommandChecker(const DramDevice& device, std::uint32_t ranks, bool refresh)
    : device_(device), refresh_(refresh), ranks_(ranks) {
  for (Rank& rank : ranks_)
    rank.banks.resize(device.organization.banks());
}

void CommandChecker::check(const DramCommand& command) {
  distance(command, "one command a clock", last_command_, 1);
  last_command_ = static_cast<Past>(command.clock);
  const bool in_range = command.rank < ranks_.size() &&
                        command.bank < device_.organization.banks() &&
                        command.row < device_.organization.rows &&
                        command.column < device_.organization.bursts_per_row();
  require(command, in_range, "rank, bank, row and column of the device");
  if (!in_range) return;
  distance(command, "tRFC", ranks_[command.rank].refresh, device_.timing.t_rfc);
  switch (command.kind) {
    case DramCommandKind::activate:
      return check_activate(command);
    case DramCommandKind::read:
      return check_column(command, false);
    case DramCommandKind::write:
      return check_column(command, true);
    case DramCommandKind::precharge:
      return check_precharge(command, command.bank);
    case DramCommandKind::precharge_all:
      for (std::uint32_t bank = 0; bank < device_.organization.banks(); ++bank)
        check_precharge(command, bank);
      ranks_[command.rank].precharge_all = last_command_;
      return;
    case DramCommandKind::refresh:
      return check_refresh(command);
  }
}

void CommandChecker::check_activate(const DramCommand& command) {
  Rank& rank = ranks_[command.rank];
  Bank& bank = rank.banks[command.bank];
  const DramTiming& timing = device_.timing;
  const std::uint32_t per_group = device_.organization.banks_per_group;
  require(command, !bank.open, "ACTIVATE of a closed bank");
  distance(command, "tRP", bank.precharge, timing.t_rp);
  distance(command, "tRC", bank.activate, timing.t_rc);
  for (std::uint32_t i = 0; i < rank.banks.size(); ++i) {
    const bool same_group = i / per_group == command.bank / per_group;
    distance(command, same_group ? "tRRD_L" : "tRRD_S", rank.banks[i].activate,
             same_group ? timing.t_rrd_l : timing.t_rrd_s);
  }
  distance(command, "tFAW", rank.activates[0], timing.t_faw);
  std::rotate(rank.activates.begin(), rank.activates.begin() + 1, rank.activates.end());
  rank.activates[3] = bank.activate = last_command_;
  bank.open = true;
  bank.row = command.row;
}

void CommandChecker::check_column(const DramCommand& command, bool write) {
  Rank& rank = ranks_[command.rank];
  Bank& bank = rank.banks[command.bank];
  const DramTiming& timing = device_.timing;
  const std::uint32_t per_group = device_.organization.banks_per_group;
  require(command, bank.open && bank.row == command.row, "the row is open");
  distance(command, "tRCD", bank.activate, timing.t_rcd);
  const std::uint32_t write_data = timing.cwl + device_.burst_clocks();
  for (std::uint32_t i = 0; i < rank.banks.size(); ++i) {
    const bool same_group = i / per_group == command.bank / per_group;
    const Bank& other = rank.banks[i];
    distance(command, same_group ? "tCCD_L" : "tCCD_S", write ? other.write : other.read,
             same_group ? timing.t_ccd_l : timing.t_ccd_s);
    if (write) {
      distance(command, "READ to WRITE", other.read, timing.t_rtw);
    } else {
      distance(command, same_group ? "tWTR_L" : "tWTR_S", other.write,
               write_data + (same_group ? timing.t_wtr_l : timing.t_wtr_s));
    }
  }
  const Past data = last_command_ + (write ? timing.cwl : timing.cl);
  const Past free = data_end_ + (command.rank == data_rank_ ? 0 : timing.t_rtrs);
  require(command, data >= free, "the data bus is free");
  data_end_ = data + device_.burst_clocks();
  data_rank_ = command.rank;
  (write ? bank.write : bank.read) = last_command_;
}

void CommandChecker::check_precharge(const DramCommand& command, std::uint32_t index) {
  Bank& bank = ranks_[command.rank].banks[index];
  const DramTiming& timing = device_.timing;
  if (!bank.open) return;
  distance(command, "tRAS", bank.activate, timing.t_ras);
  distance(command, "tRTP", bank.read, timing.t_rtp);
  distance(command, "tWR", bank.write, timing.cwl + device_.burst_clocks() + timing.t_wr);
  bank.open = false;
  bank.precharge = last_command_;
}

void CommandChecker::check_refresh(const DramCommand& command) {
  Rank& rank = ranks_[command.rank];
  for (const Bank& bank : rank.banks) {
    require(command, !bank.open, "REFRESH with all banks closed");
    distance(command, "tRP before REFRESH", bank.precharge, device_.timing.t_rp);
  }
  distance(command, "tRPab before REFRESH", rank.precharge_all, device_.timing.t_rp_all);
  note_interval(command.rank, command.clock);
  ++rank.refreshes;
  rank.refresh = last_command_;
}

void CommandChecker::note_interval(std::uint32_t index, std::uint64_t clock) {
  Rank& rank = ranks_[index];
  const std::uint64_t since = rank.refresh == never ? 0 : static_cast<std::uint64_t>(rank.refresh);
  rank.longest_interval = std::max(rank.longest_interval, clock - since);
}

void CommandChecker::finish(std::uint64_t clock) {
  if (!refresh_) return;
  clock = std::max(clock, static_cast<std::uint64_t>(std::max<Past>(last_command_, 0)));
  const std::uint64_t interval = device_.timing.t_refi;
  for (std::uint32_t i = 0; i < ranks_.size(); ++i) {
    note_interval(i, clock);
    DramCommand end;
    end.kind = DramCommandKind::refresh;
    end.clock = clock;
    end.rank = i;
    // JEDEC lets eight be postponed, so that two are at most nine intervals apart.
    require(end, ranks_[i].longest_interval <= 9 * interval, "at most 9 tREFI between REFRESHes");
    require(end, ranks_[i].refreshes + 8 >= clock / interval, "a REFRESH for every tREFI");
  }
}

void CommandChecker::distance(const DramCommand& command, const char* rule, Past since,
                              std::uint64_t least) {
  const Past found = static_cast<Past>(command.clock) - since;
  require(command, found >= static_cast<Past>(least),
          std::string(rule) + ": " + std::to_string(found) + " clocks, required " +
              std::to_string(least));
}

void CommandChecker::require(const DramCommand& command, bool holds, const std::string& rule) {
  if (holds || violations_.size() >= 20) return;
  violations_.push_back("clock " + std::to_string(command.clock) + ", rank " +
                        std::to_string(command.rank) + ", bank " + std::to_string(command.bank) +
                        ": " + rule);
}

}  // namespace eva::test
