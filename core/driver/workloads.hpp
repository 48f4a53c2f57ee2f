// The workloads that there are, by the name that a study's parameters say: `workload = <name>`, or
// else the first of them.
#pragma once

#include <memory>

#include "workload/run.hpp"
#include "workload/workload.hpp"

namespace phasewise::driver {

// A study on so many ranks, node_size of them on a node where the study does not say. Throws
// std::invalid_argument with one sentence where the parameters cannot be used, or do not fit the
// ranks.
std::unique_ptr<workload::Workload> plan_study(const workload::Parameters& parameters, int ranks,
                                               int node_size);

// The study at its start, on all ranks of MPI. Collective; throws as above, on every rank alike,
// and std::bad_alloc.
std::unique_ptr<workload::Run> start_study(const workload::Parameters& parameters, int threads);

}  // namespace phasewise::driver
