#include "dram/device.h"

namespace eva {
namespace {

/// One device as its standard names it; the 8 Gb x8 parts make a 64-bit rank of 8 GiB.
DramDevice ddr4_2133() {
  DramDevice device;
  device.name = "ddr4-2133";
  device.source =
      "JESD79-4, 2133R speed bin (16-16-16), 8 Gb x8; currents typical of vendors' data sheets";
  device.organization = {4, 4, 65536, 1024, 64, 8, 8};
  DramTiming& timing = device.timing;
  timing.clock_hertz = 16'000'000'000;
  timing.clock_denominator = 15;
  timing.cl = 16;
  timing.cwl = 11;
  timing.t_rcd = 16;
  timing.t_rp = timing.t_rp_all = 16;
  timing.t_ras = 36;
  timing.t_rc = 52;
  timing.t_rrd_s = 4;
  timing.t_rrd_l = 6;
  timing.t_faw = 23;
  timing.t_ccd_s = 4;
  timing.t_ccd_l = 6;
  timing.t_rtw = 11;
  timing.t_wr = 16;
  timing.t_wtr_s = 3;
  timing.t_wtr_l = 8;
  timing.t_rtp = 8;
  timing.t_rtrs = 2;
  timing.t_refi = 8320;
  timing.t_rfc = 374;
  device.currents = {1.2, 45, 33, 40, 125, 115, 250};
  return device;
}

DramDevice ddr4_3200() {
  DramDevice device;
  device.name = "ddr4-3200";
  device.source =
      "JESD79-4, 3200AA speed bin (22-22-22), 8 Gb x8; currents typical of vendors' data sheets";
  device.organization = {4, 4, 65536, 1024, 64, 8, 8};
  DramTiming& timing = device.timing;
  timing.clock_hertz = 1'600'000'000;
  timing.cl = 22;
  timing.cwl = 16;
  timing.t_rcd = 22;
  timing.t_rp = timing.t_rp_all = 22;
  timing.t_ras = 52;
  timing.t_rc = 74;
  timing.t_rrd_s = 4;
  timing.t_rrd_l = 8;
  timing.t_faw = 34;
  timing.t_ccd_s = 4;
  timing.t_ccd_l = 8;
  timing.t_rtw = 12;
  timing.t_wr = 24;
  timing.t_wtr_s = 4;
  timing.t_wtr_l = 12;
  timing.t_rtp = 12;
  timing.t_rtrs = 2;
  timing.t_refi = 12480;
  timing.t_rfc = 560;
  device.currents = {1.2, 57, 37, 52, 168, 150, 250};
  return device;
}

DramDevice lpddr4_4266() {
  DramDevice device;
  device.name = "lpddr4-4266";
  device.source =
      "JESD209-4, 4266 Mb/s (RL 36, WL 18), one 16-bit channel of a 16 Gb die; currents: one "
      "supply of 1.1 V that stands for VDD1 and VDD2, typical of vendors' data sheets";
  device.organization = {1, 8, 65536, 1024, 16, 16, 16};
  DramTiming& timing = device.timing;  // the standard gives nanoseconds; a clock is 0.46875 ns
  timing.clock_hertz = 32'000'000'000;
  timing.clock_denominator = 15;
  timing.cl = 36;
  timing.cwl = 18;
  timing.t_rcd = 39;                     // 18 ns
  timing.t_rp = 39;                      // 18 ns
  timing.t_rp_all = 45;                  // 21 ns
  timing.t_ras = 90;                     // 42 ns
  timing.t_rc = 129;                     // tRAS + tRP
  timing.t_rrd_s = timing.t_rrd_l = 22;  // 10 ns
  timing.t_faw = 86;                     // 40 ns
  timing.t_ccd_s = timing.t_ccd_l = 8;
  timing.t_rtw = 37;                     // RL + tDQSCK(max) + BL/2 - WL + tWPRE + tRPST
  timing.t_wr = 39;                      // 18 ns
  timing.t_wtr_s = timing.t_wtr_l = 22;  // 10 ns
  timing.t_rtp = 16;                     // 7.5 ns
  timing.t_rtrs = 4;
  timing.t_refi = 8328;  // 3.904 us
  timing.t_rfc = 598;    // 280 ns, all banks, 8 Gb a channel
  device.currents = {1.1, 63, 35, 45, 290, 250, 140};
  return device;
}

DramDevice hbm2() {
  DramDevice device;
  device.name = "hbm2";
  device.source =
      "JESD235, 2 Gb/s a pin, one 64-bit pseudo channel of a 4-high stack of 8 Gb dies (16 make 4 "
      "GiB); currents: half of those that public models use for a 128-bit channel";
  device.organization = {4, 4, 16384, 128, 64, 64, 4};
  DramTiming& timing = device.timing;
  timing.clock_hertz = 1'000'000'000;
  timing.cl = 14;
  timing.cwl = 4;
  timing.t_rcd = 14;
  timing.t_rp = timing.t_rp_all = 14;
  timing.t_ras = 34;
  timing.t_rc = 48;
  timing.t_rrd_s = 4;
  timing.t_rrd_l = 6;
  timing.t_faw = 30;
  timing.t_ccd_s = 2;
  timing.t_ccd_l = 4;
  timing.t_rtw = 14;
  timing.t_wr = 16;
  timing.t_wtr_s = 6;
  timing.t_wtr_l = 8;
  timing.t_rtp = 5;
  timing.t_rtrs = 2;
  timing.t_refi = 3900;
  timing.t_rfc = 260;
  device.currents = {1.2, 32.5, 20, 27.5, 195, 250, 125};
  return device;
}

}  // namespace

const std::vector<DramDevice>& dram_devices() {
  static const std::vector<DramDevice> devices = {ddr4_2133(), ddr4_3200(), lpddr4_4266(), hbm2()};
  return devices;
}

}  // namespace eva
