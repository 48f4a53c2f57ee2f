// The kernels' work in a study's turn, added up by a listener without MPI and without particles.
#pragma once

#include <string>
#include <vector>

#include "parallel/vector_unit.hpp"
#include "workload/pieces.hpp"

namespace phasewise::driver {

// A kernel's work in one part of a turn, as the mean over the ranks.
struct KernelWork {
  std::string name;
  int part;  // from 0
  bool vectorised;
  double calls = 0.0;  // those with items
  double items = 0.0, flops = 0.0, bytes = 0.0;
  double charged = 0.0;  // flops that take a vector processor as long; else the flops
  double seconds = 0.0;  // of computing that takes a given time, whatever its work is
  // The largest work of a rank over the mean, with the largest work taken piece by piece: 1 if all
  // ranks have the same.
  double load = 1.0;
};

// The work of the kernels in the order in which a turn meets them. One rank's turn stands for those
// that the workload calls alike; `each` goes through the turn of every rank, with the same result.
// `unit` is that of the processor whose time is charged.
std::vector<KernelWork> planned_work(const workload::Workload& study,
                                     const workload::PieceCounts& counts, bool each = false,
                                     const parallel::VectorUnit& unit = {});

}  // namespace phasewise::driver
