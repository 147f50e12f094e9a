#include "dram/memory_system.h"

#include <algorithm>
#include <stdexcept>

#include "base/units.h"

namespace eva {
namespace {

/// The devices with no more rows than the capacity needs, so that all of a smaller memory is spread
/// over all channels and banks whatever the order of the mapping.
DramOrganization used_part(const DramDevice& device, const MemorySystemParameters& parameters,
                           std::uint64_t capacity_bytes) {
  DramOrganization organization = device.organization;
  const std::uint64_t ranks = parameters.channels * parameters.ranks;
  const std::uint64_t available = ranks * organization.rank_bytes();
  if (capacity_bytes > available) {
    throw std::invalid_argument(std::to_string(capacity_bytes >> 20) + " MiB of memory, but " +
                                std::to_string(ranks) + " ranks of " + device.name + " hold " +
                                std::to_string(available >> 20) + " MiB");
  }
  if (organization.banks() * parameters.ranks > 64) {
    throw std::invalid_argument(std::to_string(parameters.ranks) + " ranks of " +
                                std::to_string(organization.banks()) +
                                " banks, expected at most 64 banks in a channel");
  }
  const std::uint64_t row_bytes = available / organization.rows;
  std::uint32_t rows = 1;
  while (rows * row_bytes < capacity_bytes)
    rows *= 2;
  organization.rows = rows;
  return organization;
}

std::vector<const char*> device_names() {
  std::vector<const char*> names;
  for (const DramDevice& device : dram_devices())
    names.push_back(device.name.c_str());
  return names;
}

}  // namespace

void MemorySystemParameters::visit(ParameterVisitor& visitor) {
  visitor.choice("device", device, device_names(), "devices and speed grade of --memory ddr4");
  visitor.integer("channels", channels, {1, 64}, "channels, a power of two");
  visitor.integer("ranks", ranks, {1, 8}, "ranks of a channel, a power of two");
  visitor.text("mapping", mapping,
               "what address bits select, most significant first: row, rank, bank, column, bank "
               "group, channel");
  visit_group(visitor, "controller", controller, "memory controller of each channel");
}

MemorySystem::MemorySystem(const DramDevice& device, const MemorySystemParameters& parameters,
                           std::uint64_t capacity_bytes, TransactionSink& sink)
    : device_(device),
      mapping_(parameters.mapping, used_part(device, parameters, capacity_bytes),
               static_cast<std::uint32_t>(parameters.channels),
               static_cast<std::uint32_t>(parameters.ranks)),
      sink_(sink) {
  if (parameters.controller.write_low >= parameters.controller.write_high) {
    throw std::invalid_argument(
        "a write drain that stops at " + std::to_string(parameters.controller.write_low) +
        " writes must start at more than " + std::to_string(parameters.controller.write_high));
  }
  channels_.reserve(parameters.channels);
  for (std::uint64_t i = 0; i < parameters.channels; ++i) {
    channels_.emplace_back(device, parameters.controller,
                           static_cast<std::uint32_t>(parameters.ranks),
                           static_cast<BurstSink&>(*this));
  }
}

std::uint32_t MemorySystem::submit(std::uint64_t clock, bool write, std::uint64_t address,
                                   std::uint64_t bytes) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(transactions_.size()));
    transactions_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  const std::uint32_t burst_bytes = device_.organization.burst_bytes();
  Transaction& transaction = transactions_[index];
  transaction = Transaction();
  transaction.arrival = clock;
  transaction.write = write;
  transaction.next_burst = address / burst_bytes;
  transaction.end_burst = (address + bytes - 1) / burst_bytes + 1;
  transaction.remaining = transaction.end_burst - transaction.next_burst;
  transaction.first_data = UINT64_MAX;
  (tail_ == none ? head_ : transactions_[tail_].next) = index;
  tail_ = index;
  ++under_way_;
  return index;
}

void MemorySystem::advance(std::uint64_t clock) {
  enqueue(clock);
  for (ChannelController& channel : channels_)
    channel.advance(clock);
}

std::uint64_t MemorySystem::advance_until_queued() {
  enqueue(UINT64_MAX - 1);
  return entered_;
}

bool MemorySystem::enqueue(std::uint64_t clock) {
  while (head_ != none) {
    const std::uint32_t index = head_;
    while (transactions_[index].next_burst < transactions_[index].end_burst) {
      const Transaction& transaction = transactions_[index];
      const BurstLocation location = mapping_.locate(transaction.next_burst);
      ChannelController& channel = channels_[location.channel];
      entered_ = std::max(entered_, transaction.arrival);
      if (entered_ > clock) return false;
      channel.advance(entered_);
      if (!channel.has_room(transaction.write)) {
        if (!channel.advance_to_room(transaction.write, clock)) return false;
        blocked_ += channel.last_command() - entered_;
        entered_ = channel.last_command();
      }
      ++transactions_[index].next_burst;
      if (transactions_[index].next_burst == transactions_[index].end_burst) {
        head_ = transactions_[index].next;
        if (head_ == none) tail_ = none;
      }
      channel.push(entered_, transactions_[index].write, location, index);
      if (head_ != index) break;
    }
  }
  return true;
}

void MemorySystem::on_burst(std::uint32_t tag, std::uint64_t first_data, std::uint64_t last_data) {
  Transaction& transaction = transactions_[tag];
  transaction.first_data = std::min(transaction.first_data, first_data);
  transaction.last_data = std::max(transaction.last_data, last_data);
  if (--transaction.remaining > 0) return;
  --under_way_;
  free_.push_back(tag);
  sink_.on_transaction(tag, transaction.first_data, transaction.last_data);
}

std::uint64_t MemorySystem::shortest(std::uint64_t bursts) const {
  const std::uint64_t each = ceil_divide(bursts, channels_.size());
  return std::min(device_.timing.cl, device_.timing.cwl) + each * device_.burst_clocks();
}

}  // namespace eva
