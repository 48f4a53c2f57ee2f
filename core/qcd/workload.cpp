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

// The main phases are those of the hopping matrix; without quarks, those in which links go.
std::vector<workload::Phase> Qcd::phases() const {
  std::vector<workload::Phase> found;
  const UpdateSetting& update = description_.update;
  const auto faces = [&](const auto& names, const char* pattern, bool main) {
    for (int axis = 0; axis < static_cast<int>(names.size()); ++axis) {
      const auto way = axis_names[static_cast<std::size_t>(axis)];
      found.push_back(main ? workload::main_phase(names[axis], pattern, way)
                           : workload::Phase{std::string(names[axis]), pattern, way});
    }
  };
  const auto sums = [&](const auto&... names) {
    (found.push_back({std::string(names), "sum", "all"}), ...);
  };
  if (description_.quarks) {
    faces(phases::halo, "halo", true);
    sums(phases::sum_curvature, phases::sum_direction, phases::sum_step, phases::sum_residual,
         phases::sum_solution, phases::sum_pion);
  }
  if (update.has_quarks()) {
    faces(phases::force, "step", false);
    faces(phases::tensor, "halo", false);
  }
  if (update.method == UpdateMethod::heat_bath) faces(phases::sweep, "halo", true);
  faces(phases::links, "halo", !description_.quarks && update.method != UpdateMethod::heat_bath);
  faces(phases::smear, "halo", false);
  faces(phases::polyakov, "chain", false);
  sums(phases::bound_clover, phases::sum_gauge, phases::sum_source);
  if (update.updates()) sums(phases::bound_action, phases::sum_action);
  if (description_.flow.steps > 0) sums(phases::sum_flow);
  return found;
}

std::string Qcd::layout() const {
  return std::string(layout_names[static_cast<std::size_t>(description_.layout)]);
}

workload::Entry entry() { return workload::entry_for<Qcd, Run>(); }

}  // namespace phasewise::qcd
