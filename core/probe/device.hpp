// What a device can do, measured: its roof, and the costs of starting its work and of copies.
#pragma once

#include <string>
#include <vector>

namespace phasewise::probe {

// The seconds of copies of `bytes` from and to pinned memory of the host.
struct DeviceCopy {
  double bytes, in, out;
};

struct DeviceRates {
  std::string name;
  double memory = 0.0;                // B
  double bytes_per_second = 0.0;      // a triad in its memory
  double flops_per_second = 0.0;      // multiply-adds in double precision
  double additions_per_second = 0.0;  // to the nodes of a few meshes, by atomics or by tiles
  double launch_seconds = 0.0;        // from one kernel to the next
  double wait_seconds = 0.0;          // for a kernel that the host waits for
  std::vector<DeviceCopy> copies;     // in ascending order
};

// Measures the GPU of this number, modulo the number of GPUs, or the emulated device. Throws
// std::invalid_argument with one sentence if there is none.
DeviceRates measure_cuda(int number);
DeviceRates measure_emulated();

}  // namespace phasewise::probe
