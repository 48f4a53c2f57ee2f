// What a study's turn computes on so many ranks: the turn, told to a listener that adds up the
// kernels, without MPI and without particles.
#pragma once

#include <string>
#include <vector>

#include "workload/pieces.hpp"

namespace phasewise::driver {

// A kernel's work in one part of a turn: the mean over the ranks.
struct KernelWork {
  std::string name;
  int part;  // from 0
  bool vectorised;
  double items = 0.0, flops = 0.0, bytes = 0.0;
  // Work of the rank that has most, piece by piece, over that of the mean: 1 where all have as
  // much.
  double load = 1.0;
};

// In the order in which a turn meets them.
std::vector<KernelWork> planned_work(const workload::Workload& study,
                                     const workload::PieceCounts& counts);

}  // namespace phasewise::driver
