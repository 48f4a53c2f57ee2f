#include "qcd/workload.hpp"

#include <utility>

#include "qcd/phases.hpp"
#include "qcd/run.hpp"
#include "workload/entry.hpp"

namespace phasewise::qcd {
namespace {

constexpr std::array<const char*, axes> axis_names{"x", "y", "z", "t"};

}  // namespace

Qcd::Qcd(const workload::Parameters& parameters, workload::Nodes nodes)
    : Workload(std::move(nodes)),
      description_(parameters),
      ranks_(description_, Workload::nodes()) {}

std::vector<workload::Phase> Qcd::phases() const {
  std::vector<workload::Phase> found;
  found.reserve(4 * axes + 8);
  for (int axis = 0; axis < axes; ++axis)
    found.push_back(workload::main_phase(phases::halo[axis], "halo", axis_names[axis]));
  for (const auto sum : {phases::sum_curvature, phases::sum_direction, phases::sum_step,
                         phases::sum_residual, phases::sum_solution, phases::sum_pion})
    found.push_back({std::string(sum), "sum", "all"});
  for (int axis = 0; axis < axes; ++axis)
    found.push_back({std::string(phases::links[axis]), "halo", axis_names[axis]});
  for (int axis = 0; axis < 3; ++axis)
    found.push_back({std::string(phases::smear[axis]), "halo", axis_names[axis]});
  for (int axis = 0; axis < axes; ++axis)
    found.push_back({std::string(phases::polyakov[axis]), "chain", axis_names[axis]});
  for (const auto sum : {phases::bound_clover, phases::sum_gauge, phases::sum_source})
    found.push_back({std::string(sum), "sum", "all"});
  if (description_.flow.steps > 0) found.push_back({std::string(phases::sum_flow), "sum", "all"});
  return found;
}

std::string Qcd::layout() const {
  return std::string(layout_names[static_cast<std::size_t>(description_.layout)]);
}

workload::Entry entry() { return workload::entry_for<Qcd, Run>(); }

}  // namespace phasewise::qcd
