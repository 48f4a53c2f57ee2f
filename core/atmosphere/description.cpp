#include "atmosphere/description.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "atmosphere/physics.hpp"
#include "workload/protocols.hpp"

namespace phasewise::atmosphere {
namespace {

using workload::Parameters;

constexpr int most_latitudes = 8192, most_longitudes = 1 << 24;
constexpr std::int64_t most_columns = std::int64_t{1} << 26;
constexpr int most_ranks = 1 << 24;
constexpr std::int64_t most_bytes = std::int64_t{1} << 30;  // of a column

std::int64_t whole(const Parameters& parameters, const std::string& key, double value, double least,
                   double most) {
  if (!(value >= least && value <= most) || value != std::floor(value))
    parameters.fail(key, "give whole numbers from " +
                             std::to_string(static_cast<std::int64_t>(least)) + " to " +
                             std::to_string(static_cast<std::int64_t>(most)));
  return static_cast<std::int64_t>(value);
}

GridSetting read_grid(const Parameters& parameters) {
  const std::string key = "atmosphere.grid";
  const std::vector<double> given = parameters.numbers(key, 2);
  const GridSetting grid{static_cast<int>(whole(parameters, key, given[0], 1, most_latitudes)),
                         static_cast<int>(whole(parameters, key, given[1], 1, most_longitudes))};
  if (grid.columns() > most_columns)
    parameters.fail(key, "give at most " + std::to_string(most_columns) + " columns");
  return grid;
}

SunSetting read_sun(const Parameters& parameters) {
  SunSetting sun;
  sun.day = static_cast<int>(parameters.integer_within("atmosphere.day", 1, 365));
  sun.hour = parameters.not_negative("atmosphere.hour");
  if (!(sun.hour < 24.0)) parameters.fail("atmosphere.hour", "give hours from 0 to below 24");
  sun.obliquity = parameters.not_negative("atmosphere.obliquity");
  if (sun.obliquity > 90.0) parameters.fail("atmosphere.obliquity", "give at most 90 degrees");
  return sun;
}

PhysicsKeys read_physics(const Parameters& parameters) {
  PhysicsKeys keys;
  keys.levels = static_cast<int>(parameters.integer_within("atmosphere.levels", 2, most_levels));
  keys.long_wave_bands =
      static_cast<int>(parameters.integer_within("atmosphere.long_wave_bands", 1, most_bands));
  keys.short_wave_bands =
      static_cast<int>(parameters.integer_within("atmosphere.short_wave_bands", 1, most_bands));
  keys.adjustment = parameters.integer("atmosphere.adjustment") != 0;
  keys.most_sweeps =
      static_cast<int>(parameters.integer_within("atmosphere.most_sweeps", 1, 1'000'000));
  keys.solar_constant = parameters.not_negative("atmosphere.solar_constant");
  keys.albedo = parameters.not_negative("atmosphere.albedo");
  if (keys.albedo > 1.0) parameters.fail("atmosphere.albedo", "give a share of at most 1");
  return keys;
}

std::shared_ptr<const CostTable> read_costs(const Parameters& parameters, const GridSetting& grid) {
  if (!parameters.has("atmosphere.costs")) return nullptr;
  auto table = std::make_shared<CostTable>();
  table->times = static_cast<int>(parameters.integer_within("atmosphere.cost_times", 1, 1'000'000));
  table->seconds = parameters.numbers("atmosphere.costs",
                                      static_cast<std::size_t>(table->times * grid.columns()));
  for (std::size_t n = 0; n < table->seconds.size(); ++n)
    if (!(table->seconds[n] >= 0.0))
      throw std::invalid_argument("atmosphere.costs: column " +
                                  std::to_string(n % static_cast<std::size_t>(grid.columns())) +
                                  " takes " + std::to_string(table->seconds[n]) +
                                  " s; give seconds not below 0");
  const std::vector<double> bytes = parameters.numbers("atmosphere.column_bytes", 2);
  for (int way = 0; way < 2; ++way)
    table->bytes[way] = whole(parameters, "atmosphere.column_bytes", bytes[way], 1, most_bytes);
  return table;
}

}  // namespace

Manner read_manner(const Parameters& parameters) {
  Manner manner;
  // A way to exchange that a run tries has no division, which stays.
  if (parameters.has("communication.division"))
    manner.division = static_cast<Division>(
        parameters.choice("communication.division", {"latitudes", "longitudes", "blocks"}));
  if (parameters.has("communication.process_grid")) {
    const std::string key = "communication.process_grid";
    const std::vector<double> given = parameters.numbers(key, 2);
    for (int side = 0; side < 2; ++side)
      manner.process_grid[side] =
          static_cast<int>(whole(parameters, key, given[side], 0, most_ranks));
    if ((given[0] == 0.0) != (given[1] == 0.0))
      parameters.fail(key, "give two numbers above zero, or two zeros");
  }
  manner.balance = static_cast<Balance>(parameters.choice(
      "communication.balance", {"none", "node", "twin", "pairs", "all", "measured"}));
  manner.costs_every =
      static_cast<int>(parameters.integer_within("communication.costs_every", 1, 1'000'000));
  manner.move_seconds_per_byte = parameters.not_negative("communication.move_seconds_per_byte");
  manner.chunk = static_cast<int>(parameters.integer_within("communication.chunk", 1, most_chunk));
  manner.fast = parameters.choice("communication.kernel", {"fast", "plain"}) == 0;
  manner.moves =
      static_cast<MoveBy>(parameters.choice("communication.exchange", {"messages", "alltoallw"}));
  manner.protocol = workload::protocol_in(parameters, "communication.columns");
  return manner;
}

Description::Description(const Parameters& parameters)
    : grid(read_grid(parameters)),
      sun(read_sun(parameters)),
      physics(read_physics(parameters)),
      timestep(parameters.positive("atmosphere.timestep")),
      seed(static_cast<std::uint64_t>(parameters.integer("seed"))),
      timesteps(parameters.integer("turns")),
      costs(read_costs(parameters, grid)),
      manner(read_manner(parameters)) {
  if (parameters.has("simulated.flops"))
    simulated_flops = parameters.not_negative("simulated.flops");
}

}  // namespace phasewise::atmosphere
