// An atmosphere as Python sees it: the schedule of a timestep, the load over a run, and a run.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "atmosphere/bindings_radiation.hpp"
#include "atmosphere/run.hpp"
#include "bindings/arrays.hpp"

namespace nb = nanobind;

namespace phasewise::atmosphere {
namespace {

workload::Nodes nodes_of(int ranks, int node_ranks) {
  workload::Nodes nodes(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) nodes[rank] = rank / std::max(1, node_ranks);
  return nodes;
}

template <class T, class Values>
auto array_of(const Values& values) {
  return nb::cast(bindings::numpy(std::vector<T>(values.begin(), values.end())));
}

nb::dict schedule_of(const std::string& text, int ranks, int node_ranks, std::int64_t timestep) {
  const Planet planet(Description(workload::Parameters::parse(text)), nodes_of(ranks, node_ranks));
  const Costs costs = planet.costs_at(timestep);
  nb::dict found;
  found["owner"] = array_of<std::int64_t>(planet.layout().owners());
  found["holder"] =
      array_of<std::int64_t>(planet.holders_at(planet.description().manner, timestep, costs));
  found["cost"] = array_of<double>(costs.of);
  found["lit"] = array_of<std::int64_t>(
      costs.by_sun() ? costs.lit : std::vector<std::uint8_t>(costs.of.size()));
  return found;
}

nb::dict loads_of(const std::string& text, int ranks, int node_ranks) {
  const Atmosphere atmosphere(workload::Parameters::parse(text), nodes_of(ranks, node_ranks));
  nb::dict found;
  for (const workload::Load& load : atmosphere.loads())
    found[load.name.c_str()] = array_of<double>(load.values);
  return found;
}

nb::dict places_of(const std::string& text) {
  const Geometry geometry(Description(workload::Parameters::parse(text)).grid);
  constexpr double degrees = 57.29577951308232;
  std::vector<double> latitudes, longitudes, shares;
  for (int row = 0; row < geometry.grid().latitudes; ++row) {
    latitudes.push_back(degrees * geometry.radians(row));
    shares.push_back(geometry.share(row));
  }
  for (int j = 0; j < geometry.grid().longitudes; ++j)
    longitudes.push_back(degrees * geometry.longitude(j));
  nb::dict found;
  found["latitudes"] = array_of<double>(latitudes);
  found["longitudes"] = array_of<double>(longitudes);
  found["shares"] = array_of<double>(shares);
  return found;
}

// The rows of a set as arrays by name.
nb::dict rows_of(const Run& run, const std::string& set) {
  const workload::Rows rows = run.rows(set);
  nb::dict found;
  found["id"] = array_of<std::int64_t>(rows.id);
  for (const auto& [name, values] : rows.columns) found[name.c_str()] = array_of<double>(values);
  return found;
}

nb::dict state_of(const Run& run) {
  nb::dict found;
  for (const std::string& set : run.row_sets()) found[set.c_str()] = rows_of(run, set);
  return found;
}

}  // namespace

void bind(nb::module_& m) {
  bind_radiation(m);
  m.def("atmosphere_schedule", &schedule_of, nb::arg("parameters"), nb::arg("ranks"),
        nb::arg("node_ranks"), nb::arg("timestep"),
        "Arrays over all columns at a timestep: owner, holder (the rank that computes it), cost "
        "(flops as a plan takes them, or the seconds that are given), and lit (1 by day).");
  m.def("atmosphere_loads", &loads_of, nb::arg("parameters"), nb::arg("ranks"),
        nb::arg("node_ranks"),
        "load_before and load_after: the largest over the mean cost of the ranks, over a run.");
  m.def("atmosphere_places", &places_of, nb::arg("parameters"),
        "latitudes and longitudes [deg] of the grid's rows and columns, and the share of the "
        "sphere that each column of a row has.");
  nb::class_<Run, workload::Run>(m, "AtmosphereRun", "Timesteps of an atmosphere.")
      .def("state", &state_of,
           "The rows of this rank by set: columns, and levels numbered level + levels · column.");
}

}  // namespace phasewise::atmosphere
