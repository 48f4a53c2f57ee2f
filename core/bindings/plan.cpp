// The plan of a turn as Python sees it: counted without MPI.
#include "driver/plan.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <utility>
#include <vector>

#include "bindings/arrays.hpp"

namespace nb = nanobind;

namespace {

using namespace phasewise;
using bindings::numpy;

nb::list pair_of(int a, int b) {
  nb::list result;
  result.append(a);
  result.append(b);
  return result;
}

nb::dict phase_dict(const driver::PlannedPhase& phase) {
  nb::list sizes;
  for (const auto& [bytes, count] : phase.sizes) {
    nb::list size;
    size.append(bytes);
    size.append(count);
    sizes.append(size);
  }
  nb::dict result;
  result["name"] = phase.name;
  result["pattern"] = phase.traits.pattern;
  result["direction"] = phase.traits.direction;
  result["beam"] = phase.traits.beam;
  result["library"] = phase.library;
  result["per"] = phase.per_mesh ? "mesh" : "turn";
  result["rank"] = phase.rank;
  result["messages"] = phase.messages;
  result["sizes"] = sizes;
  result["bytes_per_rank"] = phase.bytes;
  result["intra_node"] = phase.intra_node;
  result["inter_node"] = phase.inter_node;
  return result;
}

nb::dict plan(const std::string& parameters, int ranks, int node_size, int rank) {
  const driver::Plan found =
      driver::plan_turn(driver::Parameters::parse(parameters), ranks, node_size, rank);
  nb::list grids, phases;
  for (const collision::Shape& shape : found.shapes) grids.append(pair_of(shape.prow, shape.pcol));
  for (const driver::PlannedPhase& phase : found.phases) phases.append(phase_dict(phase));
  nb::dict load;
  nb::list particles, grid;
  for (int b = 0; b < 2; ++b) {
    particles.append(found.particle_load[b]);
    grid.append(found.grid_load[b]);
  }
  load["particles"] = particles;
  load["grid"] = grid;
  nb::dict result;
  result["ranks"] = found.ranks;
  result["process_grid"] = grids;
  result["phases"] = phases;
  result["load"] = load;
  return result;
}

nb::dict traffic(const std::string& parameters, int ranks, int) {
  driver::PlannedTraffic found =
      driver::planned_traffic(driver::Parameters::parse(parameters), ranks);
  nb::dict result;
  result["from"] = numpy(std::move(found.from));
  result["to"] = numpy(std::move(found.to));
  result["messages"] = numpy(std::move(found.messages));
  result["bytes"] = numpy(std::move(found.bytes));
  return result;
}

}  // namespace

void bind_plan(nb::module_& m) {
  m.def("plan", &plan, nb::arg("parameters"), nb::arg("ranks"), nb::arg("node_size") = 1,
        nb::arg("rank") = -1,
        "What each phase of a turn sends (docs/communication.md); ValueError where the study does "
        "not fit the ranks.");
  m.def("traffic", &traffic, nb::arg("parameters"), nb::arg("ranks"), nb::arg("node_size") = 1,
        "Messages and bytes of a turn between pairs of ranks: from, to, messages, bytes.");
}
