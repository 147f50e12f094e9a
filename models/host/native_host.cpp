#include "host/native_host.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace eva {
namespace {

constexpr int firmware_stack_bytes = 1024 * 1024;

spdlog::level::level_enum spdlog_level(eva_log_level level) {
  switch (level) {
    case EVA_LOG_DEBUG:
      return spdlog::level::debug;
    case EVA_LOG_INFO:
      return spdlog::level::info;
    case EVA_LOG_ERROR:
      break;
  }
  return spdlog::level::err;
}

}  // namespace

NativeHost::NativeHost(const sc_core::sc_module_name& name, const PartContext& context,
                       const HostParameters& parameters, Firmware firmware)
    : Part(name, context),
      bus("bus"),
      interrupt("interrupt"),
      parameters_(parameters),
      firmware_(std::move(firmware)),
      timeline_(context.log, "host") {
  start_process(
      "run", [this] { run(); }, firmware_stack_bytes);
}

void NativeHost::run() {
  eva_hal hal{};
  hal.context = this;
  hal.read32 = [](void* context, std::uint64_t address, std::uint32_t* value) {
    return static_cast<NativeHost*>(context)->access(false, address, value, sizeof *value);
  };
  hal.write32 = [](void* context, std::uint64_t address, std::uint32_t value) {
    return static_cast<NativeHost*>(context)->access(true, address, &value, sizeof value);
  };
  hal.read_memory = [](void* context, std::uint64_t address, void* data, std::size_t bytes) {
    return static_cast<NativeHost*>(context)->access(false, address, data, bytes);
  };
  hal.write_memory = [](void* context, std::uint64_t address, const void* data, std::size_t bytes) {
    return static_cast<NativeHost*>(context)->access(true, address, const_cast<void*>(data), bytes);
  };
  // Accesses are made one after the other and are visible when they return.
  hal.barrier = [](void*) {};
  hal.wait_for_interrupt = [](void* context) {
    static_cast<NativeHost*>(context)->wait_for_interrupt();
  };
  hal.log = [](void* context, eva_log_level level, const char* message) {
    static_cast<NativeHost*>(context)->log(level, message);
  };
  timeline_.busy(now(), "compute", {});
  exit_status_ = firmware_(hal);
  finished_ = true;
  timeline_.idle(now());
  sc_core::sc_stop();
}

bool NativeHost::access(bool is_write, std::uint64_t address, void* data, std::size_t bytes) {
  timeline_.busy(now(), is_write ? "store" : "load", {});
  const TransportResult result =
      is_write ? bus.write(address, data, bytes) : bus.read(address, data, bytes);
  wait_until(cycle_after(result.delay) + Cycles(parameters_.access_cycles));
  return result.ok();
}

void NativeHost::wait_for_interrupt() {
  timeline_.idle(now(), WaitReason::interrupt);
  while (!interrupt.read())
    sc_core::wait(interrupt.value_changed_event());
  wait_until(now());
  timeline_.busy(now(), "compute", {});
}

void NativeHost::log(eva_log_level level, const char* message) {
  spdlog::log(spdlog_level(level), "{} @ cycle {}: {}", name(), now().count(), message);
}

}  // namespace eva
