#include "support/board_bench.h"

#include <stdexcept>

#include "support/child_process.h"

namespace eva::test {

std::uint32_t Bench::read(std::uint32_t offset) const {
  std::uint32_t value = 0;
  if (!hal.read32(hal.context, registers + offset, &value)) throw std::runtime_error("bus error");
  return value;
}

void Bench::write(std::uint32_t offset, std::uint32_t value) const {
  if (!hal.write32(hal.context, registers + offset, value)) throw std::runtime_error("bus error");
}

void Bench::start_queue(std::uint64_t ring, std::uint32_t size) const {
  write(EVA_REG_CONTROL, EVA_CONTROL_RESET);
  write(EVA_REG_RING_BASE_LO, static_cast<std::uint32_t>(ring));
  write(EVA_REG_RING_BASE_HI, static_cast<std::uint32_t>(ring >> 32));
  write(EVA_REG_RING_SIZE, size);
  write(EVA_REG_INT_ENABLE, EVA_INT_COMPLETE | EVA_INT_ERROR);
  write(EVA_REG_CONTROL, EVA_CONTROL_ENABLE);
}

void Bench::place(std::uint64_t ring, std::uint32_t slot, const eva_descriptor& descriptor) const {
  if (!hal.write_memory(hal.context, ring + slot * sizeof descriptor, &descriptor,
                        sizeof descriptor)) {
    throw std::runtime_error("bus error");
  }
}

std::uint32_t Bench::wait_for_interrupt() const {
  hal.wait_for_interrupt(hal.context);
  return read(EVA_REG_INT_STATUS);
}

void Bench::wait_cycles(std::uint64_t cycles) const {
  sc_core::wait(board.clock().time_of(board.now() + Cycles(cycles)) - sc_core::sc_time_stamp());
}

void Bench::poke(std::uint64_t address, const std::vector<unsigned char>& bytes) const {
  if (!bytes.empty()) board.dram.contents().write(address - memory, bytes.data(), bytes.size());
}

std::vector<unsigned char> Bench::peek(std::uint64_t address, std::size_t bytes) const {
  std::vector<unsigned char> data(bytes);
  board.dram.contents().read(address - memory, data.data(), data.size());
  return data;
}

std::string on_board(const std::function<std::string(const Bench&)>& program,
                     const ChipParameters& parameters, const CommandInjection& injection) {
  return in_child_process([&] {
    configure_kernel();
    std::string result;
    Board* self = nullptr;
    Board board("board", parameters, true, injection, [&](const eva_hal& hal) {
      result = program({hal, *self});
      return 0;
    });
    self = &board;
    switch (board.run(Cycles(100'000'000))) {
      case Board::End::finished:
        break;
      case Board::End::deadlock:
        result += " deadlock\n" + board.waiting();
        break;
      case Board::End::failed:
        result += " failed: " + board.failure();
        break;
      case Board::End::cycle_limit:
      case Board::End::interrupted:
        result += " did not end";
        break;
    }
    return result;
  });
}

eva_descriptor nop(std::uint32_t flags) {
  eva_descriptor descriptor{};
  descriptor.opcode = EVA_OP_NOP;
  descriptor.version = EVA_DESCRIPTOR_VERSION;
  descriptor.flags = static_cast<std::uint16_t>(flags);
  return descriptor;
}

}  // namespace eva::test
