#include "dram/energy.h"

namespace eva {

void DramEnergy::add(const DramEnergy& other) {
  activate += other.activate;
  read += other.read;
  write += other.write;
  refresh += other.refresh;
  background += other.background;
}

DramCommandEnergy command_energy(const DramDevice& device) {
  const DramTiming& timing = device.timing;
  const DramCurrents& currents = device.currents;
  const double watts_per_ma = device.organization.devices_per_rank() * currents.vdd * 1e-3;
  const double joules_per_ma_clock = watts_per_ma * timing.clock_ns() * 1e-9;
  DramCommandEnergy energy;
  energy.activate =
      joules_per_ma_clock *
      (currents.idd0 * timing.t_rc - currents.idd3n * timing.t_ras - currents.idd2n * timing.t_rp);
  energy.read = joules_per_ma_clock * (currents.idd4r - currents.idd3n) * device.burst_clocks();
  energy.write = joules_per_ma_clock * (currents.idd4w - currents.idd3n) * device.burst_clocks();
  energy.refresh = joules_per_ma_clock * (currents.idd5b - currents.idd3n) * timing.t_rfc;
  energy.open_standby = watts_per_ma * currents.idd3n;
  energy.closed_standby = watts_per_ma * currents.idd2n;
  return energy;
}

DramEnergy channel_energy(const DramDevice& device, std::uint64_t ranks,
                          const ChannelStatistics& statistics) {
  const DramCommandEnergy each = command_energy(device);
  const double clock_seconds = device.timing.clock_ns() * 1e-9;
  const auto open = static_cast<double>(statistics.rank_open);
  const double closed = static_cast<double>(ranks * statistics.elapsed) - open;
  DramEnergy energy;
  energy.activate = static_cast<double>(statistics.activates) * each.activate;
  energy.read = static_cast<double>(statistics.reads) * each.read;
  energy.write = static_cast<double>(statistics.writes) * each.write;
  energy.refresh = static_cast<double>(statistics.refreshes) * each.refresh;
  energy.background = clock_seconds * (open * each.open_standby + closed * each.closed_standby);
  return energy;
}

}  // namespace eva
