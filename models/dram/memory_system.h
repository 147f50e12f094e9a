#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/parameters.h"
#include "dram/address_mapping.h"
#include "dram/channel_controller.h"
#include "dram/device.h"

namespace eva {

/// Which memory is on the board and how it is driven.
struct MemorySystemParameters {
  std::size_t device = 0;  ///< index into dram_devices()
  std::uint64_t channels = 4;
  std::uint64_t ranks = 1;
  std::string mapping = "ro-ra-ba-co-bg-ch";
  ControllerParameters controller;

  void visit(ParameterVisitor& visitor);
};

/// Told when all bursts of a transaction have their time, in clocks of the memory.
class TransactionSink {
 public:
  virtual ~TransactionSink() = default;
  virtual void on_transaction(std::uint32_t transaction, std::uint64_t first_data,
                              std::uint64_t last_data) = 0;
};

/// All channels of a memory behind one queue of transactions, which are cut into bursts.
///
/// Bursts enter the channels in the order of their transactions and addresses, as many in a clock
/// as find room; the first that finds its channel's queue full holds up those behind it. Time is
/// the number of a memory clock; it only goes forward, and as far as it is told to.
class MemorySystem : private BurstSink {
 public:
  /// `capacity_bytes` of the devices are used. Throws std::invalid_argument for what the devices
  /// cannot hold and for numbers of channels or ranks that are no powers of two.
  MemorySystem(const DramDevice& device, const MemorySystemParameters& parameters,
               std::uint64_t capacity_bytes, TransactionSink& sink);
  MemorySystem(const MemorySystem&) = delete;
  MemorySystem& operator=(const MemorySystem&) = delete;

  /// Queues the bursts that [address, address + bytes) touches, bytes > 0, at `clock`, which is not
  /// before any clock given before. Returns the number of the transaction; numbers are reused.
  std::uint32_t submit(std::uint64_t clock, bool write, std::uint64_t address, std::uint64_t bytes);
  /// Lets time pass up to and including `clock`.
  void advance(std::uint64_t clock);
  /// Lets time pass until every burst so far is in the queue of its channel; returns the clock in
  /// which the last one went in.
  std::uint64_t advance_until_queued();

  /// Bursts of a transaction that is under way that have no time yet.
  [[nodiscard]] std::uint64_t remaining(std::uint32_t transaction) const {
    return transactions_[transaction].remaining;
  }
  /// How soon after now so many bursts could be over, at best.
  [[nodiscard]] std::uint64_t shortest(std::uint64_t bursts) const;
  [[nodiscard]] std::size_t under_way() const { return under_way_; }

  [[nodiscard]] const DramDevice& device() const { return device_; }
  [[nodiscard]] std::vector<ChannelController>& channels() { return channels_; }
  [[nodiscard]] const std::vector<ChannelController>& channels() const { return channels_; }
  [[nodiscard]] const AddressMapping& mapping() const { return mapping_; }
  /// Clocks in which the next burst found its channel's queue full.
  [[nodiscard]] std::uint64_t blocked_clocks() const { return blocked_; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Transaction {
    std::uint64_t arrival = 0;
    std::uint64_t next_burst = 0;
    std::uint64_t end_burst = 0;
    std::uint64_t remaining = 0;
    std::uint64_t first_data = 0;
    std::uint64_t last_data = 0;
    std::uint32_t next = none;
    bool write = false;
  };

  void on_burst(std::uint32_t tag, std::uint64_t first_data, std::uint64_t last_data) override;
  /// Moves bursts to the channels up to `clock`; returns whether all went in.
  bool enqueue(std::uint64_t clock);

  const DramDevice device_;
  AddressMapping mapping_;
  TransactionSink& sink_;
  std::vector<ChannelController> channels_;
  std::vector<Transaction> transactions_;
  std::vector<std::uint32_t> free_;
  std::uint32_t head_ = none;
  std::uint32_t tail_ = none;
  std::size_t under_way_ = 0;
  std::uint64_t entered_ = 0;  ///< clock in which the last burst went in
  std::uint64_t blocked_ = 0;
};

}  // namespace eva
