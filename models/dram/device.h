#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eva {

/// How a rank of a memory channel is built. Bank b of a rank belongs to bank group
/// b / banks_per_group.
struct DramOrganization {
  std::uint32_t bank_groups = 1;
  std::uint32_t banks_per_group = 8;
  std::uint32_t rows = 32768;
  std::uint32_t columns = 1024;  ///< of channel_bits each
  std::uint32_t channel_bits = 64;
  std::uint32_t device_bits = 8;
  std::uint32_t burst_length = 8;

  [[nodiscard]] std::uint32_t banks() const { return bank_groups * banks_per_group; }
  [[nodiscard]] std::uint32_t burst_bytes() const { return channel_bits / 8 * burst_length; }
  [[nodiscard]] std::uint32_t bursts_per_row() const { return columns / burst_length; }
  [[nodiscard]] std::uint32_t devices_per_rank() const { return channel_bits / device_bits; }
  [[nodiscard]] std::uint64_t rank_bytes() const {
    return std::uint64_t{rows} * banks() * bursts_per_row() * burst_bytes();
  }
};

/// Minimum distances in clocks, by their JEDEC names. `_s` holds between bank groups, `_l` inside
/// one; a device without bank groups has both equal. Data move on both edges of the clock.
struct DramTiming {
  std::uint64_t clock_hertz = 1;        ///< the clock is clock_hertz / clock_denominator
  std::uint64_t clock_denominator = 1;  ///< 15 for 16 GHz / 15 = 1066.67 MHz
  std::uint32_t cl = 0;                 ///< READ to its first data
  std::uint32_t cwl = 0;                ///< WRITE to its first data
  std::uint32_t t_rcd = 0;              ///< ACTIVATE to READ or WRITE, same bank
  std::uint32_t t_rp = 0;               ///< PRECHARGE to ACTIVATE, same bank
  std::uint32_t t_rp_all = 0;           ///< PRECHARGE of all banks to REFRESH
  std::uint32_t t_ras = 0;              ///< ACTIVATE to PRECHARGE, same bank
  std::uint32_t t_rc = 0;               ///< ACTIVATE to ACTIVATE, same bank
  std::uint32_t t_rrd_s = 0;            ///< ACTIVATE to ACTIVATE, same rank
  std::uint32_t t_rrd_l = 0;
  std::uint32_t t_faw = 0;    ///< window of at most four ACTIVATEs to a rank
  std::uint32_t t_ccd_s = 0;  ///< READ to READ or WRITE to WRITE, same rank
  std::uint32_t t_ccd_l = 0;
  std::uint32_t t_rtw = 0;    ///< READ to WRITE, same rank
  std::uint32_t t_wr = 0;     ///< end of write data to PRECHARGE, same bank
  std::uint32_t t_wtr_s = 0;  ///< end of write data to READ, same rank
  std::uint32_t t_wtr_l = 0;
  std::uint32_t t_rtp = 0;   ///< READ to PRECHARGE, same bank
  std::uint32_t t_rtrs = 0;  ///< gap on the data bus when the rank changes
  std::uint32_t t_refi = 0;  ///< mean distance of REFRESHes of a rank
  std::uint32_t t_rfc = 0;   ///< REFRESH to any command, same rank

  [[nodiscard]] double clock_ns() const {
    return 1e9 * static_cast<double>(clock_denominator) / static_cast<double>(clock_hertz);
  }
};

/// Supply currents of one device in mA, and its voltage.
struct DramCurrents {
  double vdd = 0;
  double idd0 = 0;   ///< ACTIVATE and PRECHARGE in turn, every tRC
  double idd2n = 0;  ///< standby, all banks precharged
  double idd3n = 0;  ///< standby, a bank open
  double idd4r = 0;  ///< reading all the time
  double idd4w = 0;  ///< writing all the time
  double idd5b = 0;  ///< refreshing all the time
};

/// A speed grade: all that the model knows of a memory.
struct DramDevice {
  std::string name;
  std::string source;  ///< where its numbers come from
  DramOrganization organization;
  DramTiming timing;
  DramCurrents currents;

  /// Clocks that a burst occupies the data bus: two transfers a clock.
  [[nodiscard]] std::uint32_t burst_clocks() const { return organization.burst_length / 2; }
  [[nodiscard]] double peak_gb_s() const {
    return organization.burst_bytes() / (burst_clocks() * timing.clock_ns());
  }
};

/// The devices that ship; the first is the reference.
const std::vector<DramDevice>& dram_devices();

}  // namespace eva
