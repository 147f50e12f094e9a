#pragma once

#include <functional>
#include <string>
#include <vector>

#include "eva/driver.h"
#include "platform/board.h"

namespace eva::test {

/// What a straight-line test program on the host may use.
struct Bench {
  const eva_hal& hal;
  Board& board;

  static constexpr std::uint64_t registers = 0x10000000;
  static constexpr std::uint64_t memory = 0x80000000;

  /// Register accesses that must succeed; throw otherwise.
  [[nodiscard]] std::uint32_t read(std::uint32_t offset) const;
  void write(std::uint32_t offset, std::uint32_t value) const;
  /// Reset, ring of `size` at `ring`, all interrupts on, enabled.
  void start_queue(std::uint64_t ring, std::uint32_t size) const;
  /// Writes a descriptor to a slot of the ring, without the doorbell.
  void place(std::uint64_t ring, std::uint32_t slot, const eva_descriptor& descriptor) const;
  /// Sleeps until an interrupt and returns the interrupt status.
  [[nodiscard]] std::uint32_t wait_for_interrupt() const;
  void wait_cycles(std::uint64_t cycles) const;

  /// Bytes of memory, past the bus and outside simulated time.
  void poke(std::uint64_t address, const std::vector<unsigned char>& bytes) const;
  [[nodiscard]] std::vector<unsigned char> peek(std::uint64_t address, std::size_t bytes) const;
};

/// Builds a board in a child process, runs `program` as its firmware and returns what it returned,
/// followed by " deadlock", " failed: …" and so on if the simulation did not end by its return.
std::string on_board(const std::function<std::string(const Bench&)>& program,
                     const ChipParameters& parameters = {}, const CommandInjection& injection = {});

/// A no-operation descriptor with the given flags.
eva_descriptor nop(std::uint32_t flags = 0);

}  // namespace eva::test
