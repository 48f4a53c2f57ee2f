// A study to be planned, as Python gives it: its parameters, the counts of its pieces, and the
// vector unit of the processor that would compute it.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "driver/workloads.hpp"
#include "parallel/vector_unit.hpp"
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

// An empty dictionary means no vector unit.
inline parallel::VectorUnit unit_from(const nanobind::dict& given) {
  if (given.empty()) return {};
  return {.length = nanobind::cast<double>(given["length"]),
          .start = nanobind::cast<double>(given["start"]),
          .scalar = nanobind::cast<double>(given["scalar"])};
}

}  // namespace phasewise::bindings
