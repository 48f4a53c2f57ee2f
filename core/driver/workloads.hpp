// The registered workloads. A study's parameters name one, `workload = <name>`, or those of a ring
// in the order of a turn, `workload = <name> <name>`.
#pragma once

#include <memory>

#include "workload/run.hpp"
#include "workload/workload.hpp"

namespace phasewise::driver {

// Plans a study for this number of ranks, with node_size ranks per node unless the study sets that.
// Throws std::invalid_argument with one sentence if the parameters cannot be used, or do not fit
// the ranks.
std::unique_ptr<workload::Workload> plan_study(const workload::Parameters& parameters, int ranks,
                                               int node_size);

// Starts a study on all ranks of MPI. Collective; throws what plan_study throws, on every rank
// alike, and std::bad_alloc.
std::unique_ptr<workload::Run> start_study(const workload::Parameters& parameters, int threads);

}  // namespace phasewise::driver
