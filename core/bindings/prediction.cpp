// What the models are given of a turn, and the one that follows its messages in time. No MPI.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "contention/execution.hpp"
#include "driver/parameters.hpp"
#include "driver/phase_messages.hpp"
#include "driver/plan.hpp"
#include "driver/turn_program.hpp"

namespace nb = nanobind;

namespace {

using namespace phasewise;

template <class T>
auto numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

nb::list messages(const std::string& parameters, int ranks, int node_size, double meshes) {
  const driver::TurnMessages turn(driver::Parameters::parse(parameters), ranks, node_size);
  nb::list result;
  for (driver::PhaseMessages& phase : driver::phase_messages(turn, meshes)) {
    const driver::PhaseTraits traits = driver::traits_of(phase.name, turn.settings());
    nb::dict one;
    one["name"] = phase.name;
    one["pattern"] = traits.pattern;
    one["direction"] = traits.direction;
    one["rank"] = phase.rank;
    one["bytes"] = numpy(std::move(phase.bytes));
    one["count"] = numpy(std::move(phase.count));
    one["inter"] = numpy(std::move(phase.inter));
    one["distance"] = numpy(std::move(phase.distance));
    one["active"] = numpy(std::move(phase.active));
    result.append(one);
  }
  return result;
}

nb::dict contend(const std::string& parameters, int ranks, const std::string& platform,
                 std::int64_t eager, std::vector<std::int64_t> sizes,
                 std::vector<double> bandwidth_factors, std::vector<double> latency_factors,
                 double meshes, double effort) {
  const contention::Network network(platform);
  const driver::TurnMessages turn(driver::Parameters::parse(parameters), ranks,
                                  network.node_ranks());
  const auto budget = static_cast<std::int64_t>(4e5 * effort);
  const contention::Program program = driver::turn_program(turn, meshes, budget);
  const contention::Protocol protocol{eager, std::move(sizes), std::move(bandwidth_factors),
                                      std::move(latency_factors)};
  contention::Execution execution;
  {
    const nb::gil_scoped_release unlocked;
    execution = contention::execute(program, network, protocol, 0.02 / effort);
  }
  nb::dict phases, result;
  double mean = 0.0, most = 0.0;
  for (const auto& of_rank : execution.seconds)
    most = std::max(most, std::accumulate(of_rank.begin(), of_rank.end(), 0.0));
  for (std::size_t phase = 0; phase < program.phases.size(); ++phase) {
    double sum = 0.0;
    for (const auto& of_rank : execution.seconds) sum += of_rank[phase];
    phases[program.phases[phase].c_str()] = sum / ranks;
    mean += sum / ranks;
  }
  result["phases"] = phases;
  result["mean"] = mean;
  result["max"] = most;
  result["messages"] = program.messages;
  return result;
}

}  // namespace

void bind_prediction(nb::module_& m) {
  m.def("messages", &messages, nb::arg("parameters"), nb::arg("ranks"), nb::arg("node_size"),
        nb::arg("meshes") = 0.0,
        "Kinds of messages of each phase of a turn, of the rank that sends most (docs/models.md).");
  m.def("contend", &contend, nb::arg("parameters"), nb::arg("ranks"), nb::arg("platform"),
        nb::arg("eager"), nb::arg("sizes"), nb::arg("bandwidth_factors"),
        nb::arg("latency_factors"), nb::arg("meshes") = 0.0, nb::arg("effort") = 1.0,
        "Seconds of a turn's phases with all messages on their ways over the network; effort 1 is "
        "for every day, more is finer.");
}
