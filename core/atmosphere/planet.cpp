#include "atmosphere/planet.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "atmosphere/sun.hpp"

namespace phasewise::atmosphere {

PhysicsSetting physics_setting(const Description& description, const Manner& manner, int threads) {
  const PhysicsKeys& keys = description.physics;
  return {.levels = keys.levels,
          .timestep = description.timestep,
          .long_wave_bands = keys.long_wave_bands,
          .short_wave_bands = keys.short_wave_bands,
          .adjustment = keys.adjustment,
          .most_sweeps = keys.most_sweeps,
          .solar_constant = keys.solar_constant,
          .albedo = keys.albedo,
          .chunk = manner.chunk,
          .fast = manner.fast,
          .threads = threads};
}

Planet::Planet(const Description& description, std::vector<int> nodes)
    : description_(description),
      nodes_(std::move(nodes)),
      geometry_(description.grid),
      layout_(description.grid, description.manner, static_cast<int>(nodes_.size())),
      bytes_(ColumnBytes::of(description)) {
  check(description_.manner.balance);
  if (!by_sun()) return;
  const Physics physics(physics_setting(description_, description_.manner, 1));
  night_ = physics.cost(false);
  day_ = physics.cost(true);
}

void Planet::check(Balance balance) const {
  if (balance != Balance::twin) return;
  const GridSetting& grid = description_.grid;
  if (grid.latitudes == 1)
    throw std::invalid_argument(
        "communication.balance = twin: a list of columns has no latitudes, and the twin of a "
        "column "
        "is at the opposite latitude; give none, node, pairs, all or measured");
  if (grid.longitudes % 2 != 0)
    throw std::invalid_argument(
        "communication.balance = twin: " + std::to_string(grid.longitudes) +
        " longitudes are odd in number, and the twin of a column is 180° further; give an even "
        "number, or none, node, pairs, all or measured");
}

Costs Planet::costs_at(std::int64_t timestep) const {
  Costs costs;
  const auto columns = static_cast<std::size_t>(geometry_.columns());
  if (!by_sun()) {
    const CostTable& table = *description_.costs;
    const auto first = table.seconds.begin() + (timestep % table.times) * geometry_.columns();
    costs.of.assign(first, first + geometry_.columns());
    return costs;
  }
  const Sun sun = sun_at(description_.sun, description_.timestep, timestep);
  const std::vector<double> cosines = zenith_cosines(geometry_, sun);
  costs.of.resize(columns);
  costs.lit.resize(columns);
  for (std::size_t column = 0; column < columns; ++column) {
    costs.lit[column] = cosines[column] > 0.0 ? 1 : 0;
    costs.of[column] = costs.lit[column] != 0 ? day_ : night_;
  }
  return costs;
}

Holders Planet::by_scheme(Balance balance, const Costs& costs) const {
  const Loads loads{layout_, nodes_, costs};
  const auto in_groups = [&](const std::vector<std::vector<int>>& groups) {
    return costs.by_sun() ? swap_in(groups, loads) : give_in(groups, loads);
  };
  switch (balance) {
    case Balance::node:
      return in_groups(members_by_node(all_ranks(layout_), nodes_));
    case Balance::all:
      return in_groups({all_ranks(layout_)});
    case Balance::pairs:
      return in_groups(pairs_by_cost(loads));
    case Balance::twin:
      return keep_twins(geometry_, layout_);
    default:
      return layout_.owners();
  }
}

std::vector<double> Planet::seconds_since(std::vector<double> seconds, std::int64_t earlier,
                                          std::int64_t timestep) const {
  if (!by_sun()) return seconds;
  const std::vector<std::uint8_t> then = costs_at(earlier).lit, now = costs_at(timestep).lit;
  double sums[2] = {0.0, 0.0}, columns[2] = {0.0, 0.0};
  for (std::size_t column = 0; column < seconds.size(); ++column) {
    sums[then[column]] += seconds[column];
    columns[then[column]] += 1.0;
  }
  if (columns[0] == 0.0 || columns[1] == 0.0) return seconds;
  const double by_day = sums[1] / columns[1] - sums[0] / columns[0];
  for (std::size_t column = 0; column < seconds.size(); ++column)
    if (then[column] != now[column])
      seconds[column] = std::max(0.0, seconds[column] + (now[column] != 0 ? by_day : -by_day));
  return seconds;
}

Holders Planet::holders_by(const std::vector<double>& seconds, double seconds_per_byte) const {
  const Costs costs{seconds, {}};
  const auto bytes = static_cast<double>(bytes_.out + bytes_.back);
  return give_where_it_pays({layout_, nodes_, costs}, bytes * seconds_per_byte);
}

Holders Planet::holders_at(const Manner& manner, std::int64_t timestep, const Costs& costs) const {
  if (manner.balance != Balance::measured) return by_scheme(manner.balance, costs);
  const std::int64_t look = timestep - timestep % manner.costs_every;
  if (look == 0) return layout_.owners();
  std::vector<double> seconds = costs_at(look - 1).of;
  if (by_sun())
    for (double& one : seconds) one *= assumed_seconds_per_flop;
  const double given = manner.move_seconds_per_byte;
  return holders_by(seconds_since(std::move(seconds), look - 1, timestep),
                    given > 0.0 ? given : assumed_seconds_per_byte);
}

Schedules::Schedules(const Planet& planet, std::size_t most) : planet_(planet) {
  constexpr double most_bytes = 5e8, column_bytes = 9.0;
  const double bytes = column_bytes * static_cast<double>(planet.geometry().columns());
  capacity_ = std::min(most, 1 + static_cast<std::size_t>(most_bytes / bytes));
}

SchedulePointer Schedules::at(const Manner& manner, std::int64_t timestep) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return kept.timestep == timestep && kept.balance == manner.balance &&
           kept.costs_every == manner.costs_every &&
           kept.move_seconds_per_byte == manner.move_seconds_per_byte;
  });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    return found->schedule;
  }
  const Costs costs = planet_.costs_at(timestep);
  kept_.push_front({manner.balance, manner.costs_every, manner.move_seconds_per_byte, timestep,
                    std::make_shared<const Schedule>(
                        planet_.layout(), planet_.holders_at(manner, timestep, costs), costs)});
  if (kept_.size() > capacity_) kept_.pop_back();
  return kept_.front().schedule;
}

}  // namespace phasewise::atmosphere
