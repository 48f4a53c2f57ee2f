// The kernels' work in a study's turn, added up by a listener without MPI and without particles.
#pragma once

#include <string>
#include <vector>

#include "parallel/vector_unit.hpp"
#include "workload/pieces.hpp"

namespace phasewise::driver {

// A kernel's work in one part of a turn: the mean over the ranks.
struct KernelWork {
  std::string name;
  int part;  // from 0
  bool vectorised;
  double calls = 0.0;  // with items
  double items = 0.0, flops = 0.0, bytes = 0.0;
  double charged = 0.0;  // flops that take a vector processor as long; else the flops themselves
  // The largest work of a rank, added up piece by piece, over the mean rank's: 1 if all have the
  // same.
  double load = 1.0;
};

// In the order in which a turn meets them. One rank's turn stands for those that the workload says
// are alike; `each`: the turn of every rank is told, which gives the same. unit: of the processor
// whose time is charged.
std::vector<KernelWork> planned_work(const workload::Workload& study,
                                     const workload::PieceCounts& counts, bool each = false,
                                     const parallel::VectorUnit& unit = {});

}  // namespace phasewise::driver
