#include "sphere/description.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "workload/protocols.hpp"

namespace phasewise::sphere {
namespace {

using workload::Parameters;

constexpr int most_degrees = 1 << 14;
constexpr int most_levels = 1 << 12;

int whole(const Parameters& parameters, const std::string& key, int least, int most) {
  return static_cast<int>(parameters.integer_within(key, least, most));
}

}  // namespace

Manner read_manner(const Parameters& parameters) {
  Manner result;
  result.legendre = static_cast<Legendre>(parameters.choice(
      "communication.legendre", {"transpose", "ring", "hypercube", "node-aware"}));
  result.transpose = static_cast<exchange::Transpose>(
      parameters.choice("communication.transpose", {"pairwise", "ring", "bruck", "alltoallw"}));
  result.protocol = workload::protocol_in(parameters);
  result.order_free = parameters.choice("communication.sums", {"order-free", "plain"}) == 0;
  result.blocks = whole(parameters, "communication.blocks", 1, most_blocks);
  result.kernel =
      static_cast<Kernel>(parameters.choice("communication.kernel", {"fast", "plain", "fixed"}));
  result.padding = parameters.integer("communication.padding") != 0;
  result.invariants = static_cast<exchange::SumAlgorithm>(
      parameters.choice("communication.global_sum", exchange::sum_algorithms()));
  return result;
}

Description::Description(const Parameters& parameters)
    : truncation(whole(parameters, "sphere.truncation", 1, most_degrees)),
      latitudes(whole(parameters, "sphere.latitudes", 2, 2 * most_degrees)),
      longitudes(whole(parameters, "sphere.longitudes", 4, 4 * most_degrees)),
      levels(whole(parameters, "sphere.levels", 1, most_levels)),
      test(static_cast<Case>(parameters.choice(
          "sphere.case",
          {"williamson-1", "williamson-2", "williamson-5", "williamson-6", "galewsky", "file"}))),
      timestep(parameters.positive("sphere.timestep")),
      radius(parameters.positive("sphere.radius")),
      rotation(parameters.number("sphere.rotation")),
      gravity(parameters.positive("sphere.gravity")),
      semi_implicit(parameters.choice("sphere.scheme", {"semi-implicit", "explicit"}) == 0),
      filter(parameters.not_negative("sphere.filter")),
      diffusion(parameters.not_negative("sphere.diffusion")),
      diffusion_order(whole(parameters, "sphere.diffusion_order", 2, 4)),
      angle(parameters.number("sphere.angle")),
      amplitudes(parameters.numbers("sphere.amplitudes", static_cast<std::size_t>(levels))),
      mean_depth(parameters.not_negative("sphere.mean_depth")),
      perturbed(parameters.integer("sphere.perturbed") != 0),
      table(parameters.choice("sphere.functions", {"table", "panels"}) == 0),
      manner(read_manner(parameters)) {
  if (latitudes % 2 != 0)
    parameters.fail("sphere.latitudes", "give an even number, since latitudes are paired");
  if (2 * latitudes < 3 * truncation + 1)
    parameters.fail("sphere.latitudes", "the grid is too small for its truncation");
  if (longitudes < 3 * truncation + 1)
    parameters.fail("sphere.longitudes", "the grid is too small for its truncation");
  if (diffusion_order == 3) parameters.fail("sphere.diffusion_order", "give 2 or 4");
  groups = whole(parameters, "sphere.latitude_groups", 1, pairs());
  if (!parameters.has("sphere.stations")) return;
  const std::vector<double> given = parameters.list("sphere.stations");
  if (given.size() % 2 != 0)
    parameters.fail("sphere.stations", "give a latitude and a longitude for each station");
  constexpr double degree = std::numbers::pi / 180.0;
  for (std::size_t i = 0; i < given.size(); i += 2)
    stations.push_back({degree * given[i], degree * given[i + 1]});
}

}  // namespace phasewise::sphere
