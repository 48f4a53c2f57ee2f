// A study to be planned, as Python gives it: its parameters, and the counts of its pieces.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "driver/workloads.hpp"
#include "workload/pieces.hpp"

namespace phasewise::bindings {

inline std::unique_ptr<workload::Workload> plan_study(const std::string& parameters, int ranks,
                                                      int node_size) {
  return driver::plan_study(workload::Parameters::parse(parameters), ranks, node_size);
}

inline workload::PieceCounts counts_from(const nanobind::dict& given) {
  workload::PieceCounts counts;
  for (const auto& [name, count] : given)
    counts[nanobind::cast<std::string>(name)] = nanobind::cast<double>(count);
  return counts;
}

}  // namespace phasewise::bindings
