#include "atmosphere/measures.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "atmosphere/constants.hpp"
#include "atmosphere/phases.hpp"
#include "atmosphere/place_text.hpp"
#include "numerics/order_free_sum.hpp"

namespace phasewise::atmosphere {
namespace {

// Bounds on magnitudes, far beyond any climate: K; kg/m²; W/m² and sweeps; W/m². A value beyond its
// bound counts as the bound.
constexpr double most_temperature = 1e4, most_water = 1e6, most_result = 1e7, most_residual = 1e3;
constexpr double air_mass = surface_pressure / gravity;  // kg/m²

// Read once and added up in several sums.
parallel::KernelCard measure_card(int levels) {
  return {.name = "measure",
          .flops = 3.0 * levels + 130.0,
          .bytes = 8.0 * (3.0 * levels + 12.0),
          .vectorised = false};
}

double bounded(double value, double most) {
  return std::isfinite(value) ? std::clamp(value, -most, most) : most;
}

}  // namespace

Measures::Measures(const Planet& planet, exchange::TeamPointer team)
    : planet_(planet), team_(std::move(team)) {
  most_.fill(most_result);
  most_[temperature_mean] = most_[surface_temperature_mean] = most_temperature;
  most_[water_mean] = most_water;
  most_[first_result + result::energy_residual] = most_residual;
  most_[failures] = 1.0;
}

Measures::Terms Measures::terms_of(const double* column) const {
  const ColumnLayout layout{planet_.description().physics.levels};
  Terms terms{};
  double heat = 0.0, water = 0.0;
  for (int level = 0; level < layout.levels; ++level) {
    heat += column[layout.temperature() + level];
    water += column[layout.vapour() + level] + column[layout.cloud() + level];
  }
  terms[temperature_mean] = heat / layout.levels;
  terms[surface_temperature_mean] = column[layout.surface_temperature()];
  terms[water_mean] = water * air_mass / layout.levels;
  for (int which = 0; which < result::count; ++which)
    terms[first_result + which] = column[layout.results() + which];
  double& residual = terms[first_result + result::energy_residual];
  residual = std::fabs(residual);
  return terms;
}

workload::PartialSums<Measures::sums> Measures::part(const double* memory,
                                                     const workload::Bounds<sums>& bounds,
                                                     bool failed) const {
  workload::PartialSums<sums> parts{};
  std::array<numerics::OrderFreeGrid, sums> grids;
  std::array<numerics::OrderFreeSum, sums> added;
  for (int which = 0; which < sums; ++which)
    grids[which] = numerics::OrderFreeGrid(bounds[which], planet_.geometry().columns());
  std::int64_t place = 0;
  for (const std::int32_t column : planet_.layout().columns(team_->me)) {
    const double share = planet_.geometry().share(planet_.geometry().latitude_of(column));
    const Terms terms = terms_of(memory + planet_.bytes().pitch * place++);
    for (int which = 0; which < failures; ++which)
      added[which].add(share * bounded(terms[which], most_[which]), grids[which]);
  }
  if (failed) added[failures].add(1.0, grids[failures]);
  for (int which = 0; which < sums; ++which) parts[which] = {added[which].high, added[which].low};
  return parts;
}

void Measures::measure(workload::Listener& listener, const double* memory,
                       const std::optional<FailedColumn>& failed) {
  // A term is a column's share of a mean.
  workload::Bounds<sums> bounds = most_;
  for (int which = 0; which < failures; ++which)
    bounds[which] *= planet_.geometry().largest_share();
  const auto own = static_cast<double>(planet_.layout().columns(team_->me).size());
  means_ = workload::bounded_sums<sums>(
      phases::measures, measure_card(planet_.description().physics.levels), own, bounds,
      workload::Sums::order_free, listener, [&](const workload::Bounds<sums>& widened) {
        return part(memory, widened, failed.has_value());
      });
  if (memory != nullptr && means_[failures] > 0.0) fail(listener, failed);
}

// The column with the lowest number is named by all ranks; its sentence is sent as characters.
void Measures::fail(workload::Listener& listener, const std::optional<FailedColumn>& failed) const {
  constexpr std::size_t longest = 160;
  std::array<double, 1> lowest{failed ? -static_cast<double>(failed->column)
                                      : -static_cast<double>(planet_.geometry().columns())};
  listener.max(phases::measures, lowest);
  const auto column = static_cast<std::int64_t>(-lowest[0]);
  std::array<std::int64_t, longest> characters{};
  if (failed && failed->column == column)
    std::copy_n(failed->what.begin(), std::min(longest, failed->what.size()), characters.begin());
  listener.sum(phases::measures, characters);
  std::string what;
  for (const std::int64_t one : characters)
    if (one != 0) what += static_cast<char>(one);
  throw std::runtime_error("the column at " + place_text(planet_.geometry(), column) + " " + what);
}

std::vector<workload::Value> Measures::record() const {
  std::vector<workload::Value> values{
      {"temperature", {}, {means_[temperature_mean]}},
      {"surface_temperature", {}, {means_[surface_temperature_mean]}},
      {"water", {}, {means_[water_mean]}}};
  for (int which = 0; which < result::count; ++which)
    values.push_back({std::string(result::names[which]), {}, {means_[first_result + which]}});
  return values;
}

}  // namespace phasewise::atmosphere
