#pragma once

#include "dram/channel_controller.h"
#include "dram/device.h"

namespace eva {

/// Energy in joules of all devices of a channel, without the I/O drivers.
struct DramEnergy {
  double activate = 0;
  double read = 0;
  double write = 0;
  double refresh = 0;
  double background = 0;

  [[nodiscard]] double total() const { return activate + read + write + refresh + background; }
  void add(const DramEnergy& other);
};

/// Energy of one command of one rank, and its power while nothing happens.
struct DramCommandEnergy {
  double activate = 0;  ///< J, ACTIVATE and its PRECHARGE: VDD (IDD0 tRC - IDD3N tRAS - IDD2N tRP)
  double read = 0;      ///< J, VDD (IDD4R - IDD3N) burst
  double write = 0;     ///< J, VDD (IDD4W - IDD3N) burst
  double refresh = 0;   ///< J, VDD (IDD5B - IDD3N) tRFC
  double open_standby = 0;    ///< W, VDD IDD3N
  double closed_standby = 0;  ///< W, VDD IDD2N
};

/// From the supply currents, by the formulas above (each times the devices of a rank).
DramCommandEnergy command_energy(const DramDevice& device);

/// Energy of what a channel of `ranks` ranks has counted.
DramEnergy channel_energy(const DramDevice& device, std::uint64_t ranks,
                          const ChannelStatistics& statistics);

}  // namespace eva
