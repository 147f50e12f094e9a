#include "dram/channel_controller.h"

#include <algorithm>

namespace eva {

void ChannelStatistics::add(const ChannelStatistics& other) {
  elapsed += other.elapsed;
  reads += other.reads;
  writes += other.writes;
  forwarded_reads += other.forwarded_reads;
  row_hits += other.row_hits;
  row_misses += other.row_misses;
  row_conflicts += other.row_conflicts;
  activates += other.activates;
  refreshes += other.refreshes;
  busy += other.busy;
  idle += other.idle;
  refresh += other.refresh;
  row += other.row;
  turnaround += other.turnaround;
  bank_group += other.bank_group;
  rank_open += other.rank_open;
  waiting_reads += other.waiting_reads;
  waiting_writes += other.waiting_writes;
  read_latency.add(other.read_latency);
}

ChannelController::ChannelController(const DramDevice& device,
                                     const ControllerParameters& parameters, std::uint32_t ranks,
                                     BurstSink& sink)
    : timing_(device.timing),
      burst_clocks_(device.burst_clocks()),
      banks_per_rank_(device.organization.banks()),
      latency_{device.timing.cl, device.timing.cwl},
      parameters_(parameters),
      capacity_{parameters.read_queue, parameters.write_queue},
      sink_(sink),
      entries_(parameters.read_queue + parameters.write_queue),
      banks_(std::size_t{ranks} * banks_per_rank_),
      ranks_(ranks) {
  for (std::size_t i = entries_.size(); i-- > 0;)
    free_.push_back(static_cast<std::uint16_t>(i));
  for (std::uint32_t i = 0; i < banks_.size(); ++i) {
    banks_[i].rank = i / banks_per_rank_;
    banks_[i].group = i % banks_per_rank_ / device.organization.banks_per_group;
  }
  for (std::uint32_t i = 0; i < ranks * banks_per_rank_; ++i)
    ranks_[i / banks_per_rank_].banks |= std::uint64_t{1} << i;
  if (!parameters.refresh) return;
  // Staggered, so that the ranks do not all stop at once.
  for (std::uint32_t i = 0; i < ranks; ++i)
    ranks_[i].refresh_due = std::uint64_t{timing_.t_refi} * (i + 1) / ranks;
}

void ChannelController::push(std::uint64_t clock, bool write, const BurstLocation& location,
                             std::uint32_t tag) {
  const std::size_t direction = write ? 1 : 0;
  const auto bank = static_cast<std::uint16_t>(location.rank * banks_per_rank_ + location.bank);
  if (!write && forwards(bank, location)) {
    ++statistics_.forwarded_reads;
    statistics_.read_latency.add(1);
    sink_.on_burst(tag, clock + 1, clock + 1);
    return;
  }
  floor_ = std::max(floor_, clock + 1);
  decided_ = false;
  if (empty()) wanted_since_ = clock + 1;
  const std::uint16_t index = free_.back();
  free_.pop_back();
  entries_[index] = {clock, sequence_++, location.row, location.column, tag,  bank, none,
                     none,  none,        none,         false,           false};
  link(direction, index);
  if (!is_open(bank) || banks_[bank].row != location.row) return;
  const std::uint64_t bit = std::uint64_t{1} << bank;
  if ((hits_[direction] & bit) == 0) banks_[bank].hit[direction] = index;
  hits_[direction] |= bit;
  closing_ &= ~bit;
}

bool ChannelController::forwards(std::uint16_t bank, const BurstLocation& location) const {
  if (waiting_[1].size == 0) return false;
  for (std::uint16_t i = banks_[bank].queue[1].head; i != none; i = entries_[i].next_in_bank) {
    if (entries_[i].row == location.row && entries_[i].column == location.column) return true;
  }
  return false;
}

bool ChannelController::advance_to_room(bool write, std::uint64_t until) {
  while (!has_room(write)) {
    if (next_command() > until) return false;
    issue();
  }
  return true;
}

ChannelStatistics ChannelController::statistics(std::uint64_t clock) const {
  ChannelStatistics result = statistics_;
  result.elapsed = clock;
  if (clock > bus_free_) {
    result.idle += clock - bus_free_;
  } else {
    result.busy -= std::min(result.busy, bus_free_ - clock);  // data that are still to come
  }
  for (const Rank& rank : ranks_) {
    if (rank.open_banks > 0 && clock > rank.open_since) result.rank_open += clock - rank.open_since;
  }
  return result;
}

bool ChannelController::starves(std::size_t direction) const {
  const std::uint16_t oldest = waiting_[direction].head;
  return oldest != none && entries_[oldest].arrival + parameters_.starvation_clocks <= floor_;
}

void ChannelController::choose_direction() {
  const std::size_t reads = waiting_[0].size;
  const std::size_t writes = waiting_[1].size;
  if (writes == 0) {
    direction_ = 0;
  } else if (reads == 0) {
    direction_ = 1;
  } else if (direction_ == 0) {
    const std::size_t high = std::min<std::size_t>(parameters_.write_high, capacity_[1]);
    if (writes >= high || starves(1)) direction_ = 1;
  } else if (writes <= parameters_.write_low && !starves(1)) {
    direction_ = 0;
  }
}

std::uint64_t ChannelController::earliest_column(const Rank& rank) const {
  const bool same_rank = &rank == &ranks_[last_rank_];
  const std::uint64_t bus = bus_free_ + (same_rank ? 0 : timing_.t_rtrs);
  const std::uint32_t latency = latency_[direction_];
  return std::max({floor_, rank.column[direction_], bus > latency ? bus - latency : 0});
}

std::uint64_t ChannelController::earliest_activate(const Rank& rank) const {
  return std::max({floor_, rank.activate, rank.activates[rank.oldest_activate]});
}

/// Makes a command the next one if it goes before what is known so far.
void ChannelController::consider(std::uint64_t clock, Priority priority, DramCommandKind kind,
                                 std::uint16_t bank, std::uint16_t entry) {
  if (clock > next_.clock) return;
  const std::uint64_t sequence = entry == none ? 0 : entries_[entry].sequence;
  if (clock == next_.clock &&
      (priority > next_.priority || (priority == next_.priority && sequence > next_.sequence))) {
    return;
  }
  const std::uint32_t rank = banks_[bank].rank;
  if (clock >= ranks_[rank].refresh_due) return;
  next_ = {clock, sequence, priority, kind, bank, entry, rank};
}

void ChannelController::decide() {
  choose_direction();
  next_ = Candidate();
  // Columns first: mostly they are early enough to spare a look at the row commands.
  for (const Rank& rank : ranks_)
    consider_columns(rank);
  for (const Rank& rank : ranks_) {
    consider_activates(rank);
    consider_precharges(rank);
  }
  if (starves(direction_)) consider_starving();
  for (std::uint64_t banks = closing_; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<std::uint16_t>(__builtin_ctzll(banks));
    consider(std::max(banks_[bank].precharge, floor_), Priority::housekeeping,
             DramCommandKind::precharge, bank, none);
  }
  consider_refresh();
  decided_ = true;
}

void ChannelController::consider_columns(const Rank& rank) {
  std::uint64_t banks = hits_[direction_] & rank.banks;
  if (banks == 0) return;
  const std::uint64_t earliest = earliest_column(rank);
  const DramCommandKind kind = direction_ == 0 ? DramCommandKind::read : DramCommandKind::write;
  for (; banks != 0; banks &= banks - 1) {
    const auto index = static_cast<std::uint16_t>(__builtin_ctzll(banks));
    const Bank& bank = banks_[index];
    consider(std::max({earliest, bank.column, rank.column_in_group[direction_][bank.group]}),
             Priority::column, kind, index, bank.hit[direction_]);
  }
}

void ChannelController::consider_activates(const Rank& rank) {
  std::uint64_t banks = waiting_[direction_].banks & ~open_ & rank.banks;
  if (banks == 0) return;
  const std::uint64_t earliest = earliest_activate(rank);
  if (earliest > next_.clock) return;
  for (; banks != 0; banks &= banks - 1) {
    const auto index = static_cast<std::uint16_t>(__builtin_ctzll(banks));
    const Bank& bank = banks_[index];
    consider(std::max({earliest, bank.activate, rank.activate_in_group[bank.group]}), Priority::row,
             DramCommandKind::activate, index, bank.queue[direction_].head);
  }
}

void ChannelController::consider_precharges(const Rank& rank) {
  std::uint64_t banks = waiting_[direction_].banks & open_ & ~hits_[direction_] & rank.banks;
  for (; banks != 0; banks &= banks - 1) {
    const auto index = static_cast<std::uint16_t>(__builtin_ctzll(banks));
    const Bank& bank = banks_[index];
    consider(std::max(floor_, bank.precharge), Priority::row, DramCommandKind::precharge, index,
             bank.queue[direction_].head);
  }
}

void ChannelController::consider_starving() {
  const std::uint16_t oldest = waiting_[direction_].head;
  const std::uint16_t index = entries_[oldest].bank;
  const Bank& bank = banks_[index];
  const Rank& rank = ranks_[bank.rank];
  // In its own bank nothing may come between: a burst to another row would put it off again.
  if (next_.bank == index) next_ = Candidate();
  if (!is_open(index)) {
    consider(std::max({earliest_activate(rank), bank.activate, rank.activate_in_group[bank.group]}),
             Priority::first, DramCommandKind::activate, index, oldest);
  } else if (bank.row != entries_[oldest].row) {
    consider(std::max(floor_, bank.precharge), Priority::first, DramCommandKind::precharge, index,
             oldest);
  } else {
    consider(std::max({earliest_column(rank), bank.column,
                       rank.column_in_group[direction_][bank.group]}),
             Priority::first, direction_ == 0 ? DramCommandKind::read : DramCommandKind::write,
             index, oldest);
  }
}

void ChannelController::consider_refresh() {
  for (std::uint32_t i = 0; i < ranks_.size(); ++i) {
    const Rank& rank = ranks_[i];
    if (rank.refresh_due > next_.clock) continue;
    Candidate candidate;
    candidate.rank = i;
    candidate.kind = DramCommandKind::refresh;
    candidate.clock = std::max(rank.refresh_due, floor_);
    if (rank.open_banks > 0) {
      candidate.kind = DramCommandKind::precharge_all;
      for (std::uint64_t banks = open_ & rank.banks; banks != 0; banks &= banks - 1) {
        candidate.clock = std::max(
            candidate.clock, banks_[static_cast<std::size_t>(__builtin_ctzll(banks))].precharge);
      }
    } else {
      candidate.clock = std::max(candidate.clock, rank.refresh);
    }
    if (candidate.clock <= next_.clock) next_ = candidate;
  }
}

void ChannelController::issue() {
  const Candidate command = next_;
  if (on_command) report(command);
  switch (command.kind) {
    case DramCommandKind::activate:
      activate(command);
      break;
    case DramCommandKind::precharge:
      if (command.entry != none) entries_[command.entry].precharged = true;
      precharge(command.bank, command.clock);
      break;
    case DramCommandKind::precharge_all:
      precharge_all(command);
      break;
    case DramCommandKind::refresh:
      refresh(command);
      break;
    case DramCommandKind::read:
    case DramCommandKind::write:
      column(command);
      break;
  }
  floor_ = command.clock + 1;
  decided_ = false;
}

void ChannelController::activate(const Candidate& command) {
  Entry& entry = entries_[command.entry];
  Bank& bank = banks_[command.bank];
  Rank& rank = ranks_[bank.rank];
  entry.activated = true;
  ++statistics_.activates;
  open_ |= std::uint64_t{1} << command.bank;
  bank.row = entry.row;
  bank.column = command.clock + timing_.t_rcd;
  bank.precharge = command.clock + timing_.t_ras;
  bank.activate = command.clock + timing_.t_rc;
  for (std::size_t direction = 0; direction < 2; ++direction)
    find_hit(command.bank, direction, bank.queue[direction].head);
  rank.activate = command.clock + timing_.t_rrd_s;
  rank.activate_in_group[bank.group] = command.clock + timing_.t_rrd_l;
  rank.activates[rank.oldest_activate] = command.clock + timing_.t_faw;
  rank.oldest_activate = (rank.oldest_activate + 1) % 4;
  if (rank.open_banks++ == 0) rank.open_since = command.clock;
}

void ChannelController::precharge(std::uint16_t index, std::uint64_t clock) {
  Bank& bank = banks_[index];
  Rank& rank = ranks_[bank.rank];
  open_ &= ~(std::uint64_t{1} << index);
  hits_[0] &= open_;
  hits_[1] &= open_;
  bank.activate = std::max(bank.activate, clock + timing_.t_rp);
  rank.refresh = std::max(rank.refresh, clock + timing_.t_rp);
  closing_ &= ~(std::uint64_t{1} << index);
  if (--rank.open_banks == 0) statistics_.rank_open += clock - rank.open_since;
}

void ChannelController::precharge_all(const Candidate& command) {
  Rank& rank = ranks_[command.rank];
  for (std::uint64_t banks = open_ & rank.banks; banks != 0; banks &= banks - 1)
    precharge(static_cast<std::uint16_t>(__builtin_ctzll(banks)), command.clock);
  rank.refresh = std::max(rank.refresh, command.clock + timing_.t_rp_all);
}

void ChannelController::refresh(const Candidate& command) {
  Rank& rank = ranks_[command.rank];
  ++statistics_.refreshes;
  rank.refresh_due += timing_.t_refi;
  rank.refreshed = rank.refresh = command.clock + timing_.t_rfc;
  rank.activate = std::max(rank.activate, rank.refresh);
}

void ChannelController::column(const Candidate& command) {
  const std::size_t direction = direction_;
  const std::size_t other = 1 - direction;
  const Entry entry = entries_[command.entry];
  Bank& bank = banks_[command.bank];
  Rank& rank = ranks_[bank.rank];
  const std::uint64_t first_data = command.clock + latency_[direction];
  const std::uint64_t last_data = first_data + burst_clocks_;
  charge_gap(entry, first_data);

  rank.column[direction] = command.clock + timing_.t_ccd_s;
  rank.column_in_group[direction][bank.group] = command.clock + timing_.t_ccd_l;
  if (direction == 0) {
    rank.column[other] = command.clock + timing_.t_rtw;
    bank.precharge = std::max(bank.precharge, command.clock + timing_.t_rtp);
    ++statistics_.reads;
    statistics_.read_latency.add(last_data - entry.arrival);
    statistics_.waiting_reads += command.clock - entry.arrival;
  } else {
    rank.column[other] = last_data + timing_.t_wtr_s;
    rank.column_in_group[other][bank.group] = last_data + timing_.t_wtr_l;
    bank.precharge = std::max(bank.precharge, last_data + timing_.t_wr);
    ++statistics_.writes;
    statistics_.waiting_writes += command.clock - entry.arrival;
  }
  ++(entry.precharged  ? statistics_.row_conflicts
     : entry.activated ? statistics_.row_misses
                       : statistics_.row_hits);
  statistics_.busy += burst_clocks_;
  bus_free_ = last_data;
  last_direction_ = direction;
  last_rank_ = bank.rank;

  find_hit(command.bank, direction, entry.next_in_bank);
  unlink(direction, command.entry);
  if (parameters_.page_policy == PagePolicy::closed) {
    closing_ |= std::uint64_t{1} << command.bank & ~hits_[0] & ~hits_[1];
  }
  sink_.on_burst(entry.tag, first_data, last_data);
}

void ChannelController::charge_gap(const Entry& entry, std::uint64_t first_data) {
  std::uint64_t gap = first_data - bus_free_;
  if (gap == 0) return;
  const Bank& bank = banks_[entry.bank];
  // Before the first data that an open row could have delivered nothing was missed.
  const std::uint64_t possible = wanted_since_ + latency_[direction_];
  if (possible > bus_free_) {
    const std::uint64_t idle = std::min(gap, possible - bus_free_);
    statistics_.idle += idle;
    gap -= idle;
  }
  if (ranks_[bank.rank].refreshed > bus_free_) {
    statistics_.refresh += gap;
  } else if (entry.activated) {
    statistics_.row += gap;
  } else if (direction_ != last_direction_ || bank.rank != last_rank_) {
    statistics_.turnaround += gap;
  } else {
    statistics_.bank_group += gap;
  }
}

/// Remembers the first burst to the open row in the list of the bank, from `from` on.
void ChannelController::find_hit(std::uint16_t index, std::size_t direction, std::uint16_t from) {
  Bank& bank = banks_[index];
  const std::uint64_t bit = std::uint64_t{1} << index;
  std::uint16_t hit = from;
  while (hit != none && entries_[hit].row != bank.row)
    hit = entries_[hit].next_in_bank;
  bank.hit[direction] = hit;
  hits_[direction] = hit == none ? hits_[direction] & ~bit : hits_[direction] | bit;
}

void ChannelController::link(std::size_t direction, std::uint16_t index) {
  Entry& entry = entries_[index];
  Waiting& waiting = waiting_[direction];
  List& queue = banks_[entry.bank].queue[direction];
  entry.previous = waiting.tail;
  entry.previous_in_bank = queue.tail;
  (waiting.tail == none ? waiting.head : entries_[waiting.tail].next) = index;
  (queue.tail == none ? queue.head : entries_[queue.tail].next_in_bank) = index;
  waiting.tail = queue.tail = index;
  waiting.banks |= std::uint64_t{1} << entry.bank;
  ++waiting.size;
}

void ChannelController::unlink(std::size_t direction, std::uint16_t index) {
  const Entry& entry = entries_[index];
  Waiting& waiting = waiting_[direction];
  List& queue = banks_[entry.bank].queue[direction];
  (entry.previous == none ? waiting.head : entries_[entry.previous].next) = entry.next;
  (entry.next == none ? waiting.tail : entries_[entry.next].previous) = entry.previous;
  (entry.previous_in_bank == none ? queue.head : entries_[entry.previous_in_bank].next_in_bank) =
      entry.next_in_bank;
  (entry.next_in_bank == none ? queue.tail : entries_[entry.next_in_bank].previous_in_bank) =
      entry.previous_in_bank;
  if (queue.head == none) waiting.banks &= ~(std::uint64_t{1} << entry.bank);
  --waiting.size;
  free_.push_back(index);
}

void ChannelController::report(const Candidate& command) {
  DramCommand result;
  result.kind = command.kind;
  result.clock = command.clock;
  result.rank = command.rank;
  if (command.kind != DramCommandKind::refresh && command.kind != DramCommandKind::precharge_all) {
    result.bank = command.bank % banks_per_rank_;
  }
  if (command.entry != none && command.kind != DramCommandKind::precharge) {
    result.row = entries_[command.entry].row;
    result.column = entries_[command.entry].column;
  }
  on_command(result);
}

}  // namespace eva
