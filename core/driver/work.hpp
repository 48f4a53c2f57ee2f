// What a study's turn computes on so many ranks, counted without MPI and without particles: what
// parallel::KernelTimes is given in one turn.
#pragma once

#include <string>
#include <vector>

#include "driver/parameters.hpp"

namespace phasewise::driver {

// A kernel's work at one interaction point, and in the arc that follows: the mean over the ranks.
struct KernelWork {
  std::string name;
  int ip;  // from 1
  double items = 0.0, flops = 0.0, bytes = 0.0;
  // Work of the rank that has most, step by step, over that of the mean: 1 where all have as much.
  double load = 1.0;
};

// meshes: how often in the turn a new Green function is made where the study makes them as needed;
// windows of the slices coincide, and no particle is lost. Throws std::invalid_argument as the
// simulation does.
std::vector<KernelWork> planned_work(const Parameters& parameters, int ranks, double meshes);

}  // namespace phasewise::driver
