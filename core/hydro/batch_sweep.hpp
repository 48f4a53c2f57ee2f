// Sweeps of batches of pencils in one direction, with values of one pencil (plain) or of as many as
// a vector has lanes (fast).
#pragma once

#include <memory>

#include "hydro/sweep.hpp"

namespace phasewise::hydro {

class BatchSweep {
 public:
  virtual ~BatchSweep() = default;
  virtual void operator()(const Pencils& pencils, double timestep, Tally& tally) = 0;
};

std::unique_ptr<BatchSweep> plain_sweep(const SweepSetting& setting, int direction);
std::unique_ptr<BatchSweep> fast_sweep(const SweepSetting& setting, int direction);

}  // namespace phasewise::hydro
