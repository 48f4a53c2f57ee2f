#include "hydro/measures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "hydro/kernels.hpp"
#include "hydro/phases.hpp"
#include "parallel/loops.hpp"

namespace phasewise::hydro {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t together = 1024;  // zones whose rows are taken together

// After the integrals, an invariant sum has what the sweeps counted.
enum Counted { density_floors, pressure_floors, interfaces, newton_steps, collapsed, counted };
constexpr int sums = RowKernels::quantities + counted;

std::int64_t rows_together(const Box& box) {
  return std::max<std::int64_t>(1, together / std::max<std::int64_t>(1, box.size(0)));
}

// The exact density of a zone is an integral of the solution, which takes most of the time.
parallel::KernelCard compare_card() {
  return {.name = "compare", .flops = 100.0, .bytes = 8.0, .vectorised = false};
}

}  // namespace

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

Row Zones::row(std::int64_t number) const {
  const auto j = static_cast<int>(number % box.size(1));
  const auto k = static_cast<int>(number / box.size(1));
  Row row{.first = {{box.along[0].first, box.along[1].first + j, box.along[2].first + k}},
          .zones = static_cast<int>(box.size(0))};
  for (int f = 0; f < field::count; ++f)
    row.values[f] = values + f * box.zones() + number * box.size(0);
  return row;
}

Measures::Measures(const Description& description, const workload::Nodes& nodes,
                   const exchange::TeamPointer& team, int threads)
    : description_(description),
      nodes_(nodes),
      team_(team),
      threads_(threads),
      kernels_(description.problem.gas, description.grid),
      parts_(threads) {
  sum_by(description.manner.sums);
  volume_ = description.grid.share_of_lacking();
  for (int axis = 0; axis < description.grid.dimensions(); ++axis) {
    double length = 0.0;
    for (int i = 0; i < description.grid.zones_along(axis); ++i)
      length += description.grid.share(axis, i);
    volume_ *= length;
  }
}

void Measures::sum_by(exchange::SumAlgorithm algorithm) {
  invariants_ = std::make_unique<workload::GlobalSum>(
      workload::SumSetting{.phase = phases::invariants, .algorithm = algorithm}, team_, nodes_,
      sums);
  norms_ = std::make_unique<workload::GlobalSum>(
      workload::SumSetting{.phase = phases::norms, .algorithm = algorithm}, team_, nodes_, 1);
}

exchange::Exchanges Measures::exchanges() const {
  exchange::Exchanges result = invariants_->exchanges();
  if (description_.solution) std::ranges::copy(norms_->exchanges(), std::back_inserter(result));
  return result;
}

template <class F>
void Measures::for_rows(const Zones& zones, F&& f) {
  const std::int64_t rows = zones.rows(), each = rows_together(zones.box);
  parallel::for_tasks(static_cast<int>((rows + each - 1) / each), threads_,
                      [&](int task, int thread) {
                        const std::int64_t first = task * each;
                        f(parts_[thread], first, std::min(first + each, rows));
                      });
}

void Measures::find_rates(const Zones& zones) {
  for (Part& part : parts_) part.rate = 0.0, part.fastest_row = -1;
  for_rows(zones, [&](Part& part, std::int64_t first, std::int64_t last) {
    for (std::int64_t number = first; number < last; ++number) {
      double rate = kernels_.inverse_timestep(zones.row(number));
      if (!(rate < infinity)) rate = infinity;  // also of a state that is no number
      if (rate > part.rate || (rate == part.rate && number < part.fastest_row)) {
        part.rate = rate;
        part.fastest_row = number;
      }
    }
  });
}

const Measures::Part& Measures::fastest() const {
  return *std::ranges::max_element(parts_, {}, [](const Part& part) {
    return std::pair(part.rate, -part.fastest_row);  // the lowest row of those that are as fast
  });
}

void Measures::share_fastest(workload::Listener& listener) {
  double values[2] = {0.0, 0.0};
  for (const Part& part : parts_) {
    values[0] = std::max(values[0], part.rate);
    values[1] = std::max(values[1], part.mach);
  }
  listener.max(phases::courant, values, team_);
  measured_.inverse_timestep = values[0];
  measured_.mach = values[1];
}

void Measures::find_fastest(workload::Listener& listener, const Zones& zones) {
  for (Part& part : parts_) part.mach = 0.0;
  listener.kernel(courant_card(description_.grid), static_cast<double>(zones.box.zones()),
                  [&] { find_rates(zones); });
  share_fastest(listener);
}

void Measures::integrate(const Zones& zones) {
  const std::int64_t size = rows_together(zones.box) * zones.box.size(0);
  for (Part& part : parts_) {
    part.mach = 0.0;
    part.integrals = {};
    part.terms.reserve(RowKernels::quantities * size);
  }
  for_rows(zones, [&](Part& part, std::int64_t first, std::int64_t last) {
    const std::int64_t row_size = zones.box.size(0), filled = (last - first) * row_size;
    double* terms[RowKernels::quantities];
    for (std::int64_t number = first; number < last; ++number) {
      for (int q = 0; q < RowKernels::quantities; ++q)
        terms[q] = part.terms.data() + q * size + (number - first) * row_size;
      part.mach = std::max(part.mach, kernels_.integrals(zones.row(number), terms));
    }
    for (int q = 0; q < RowKernels::quantities; ++q)
      part.integrals[q].add({part.terms.data() + q * size, static_cast<std::size_t>(filled)});
  });
}

void Measures::measure(workload::Listener& listener, const Zones& zones, const Tally& tally) {
  const auto count = static_cast<double>(zones.box.zones());
  listener.kernel(courant_card(description_.grid), count, [&] { find_rates(zones); });
  listener.kernel(diagnose_card(description_.grid), count, [&] { integrate(zones); });
  share_fastest(listener);
  std::array<Accumulator, sums> mine;
  for (const Part& part : parts_)
    for (int q = 0; q < RowKernels::quantities; ++q) mine[q].add(part.integrals[q]);
  Accumulator* counts = mine.data() + RowKernels::quantities;
  counts[density_floors].add(static_cast<double>(tally.density_floors));
  counts[pressure_floors].add(static_cast<double>(tally.pressure_floors));
  counts[interfaces].add(static_cast<double>(tally.interfaces));
  counts[newton_steps].add(static_cast<double>(tally.newton_steps));
  counts[collapsed].add(static_cast<double>(tally.collapsed));
  std::array<double, sums> all{};
  invariants_->run(listener, mine, all);
  const double* found = all.data() + RowKernels::quantities;
  std::copy_n(all.begin(), RowKernels::quantities, measured_.integrals.begin());
  measured_.floors[0] += static_cast<std::int64_t>(found[density_floors]);
  measured_.floors[1] += static_cast<std::int64_t>(found[pressure_floors]);
  measured_.newton_steps = found[interfaces] > 0.0 ? found[newton_steps] / found[interfaces] : 0.0;
  measured_.collapsed = static_cast<std::int64_t>(found[collapsed]);
  measured_.l1 = std::numeric_limits<double>::quiet_NaN();
}

void Measures::add_errors(const Zones& zones, double time) {
  const MeanDensity exact(*description_.solution, description_.grid, time);
  for (Part& part : parts_) part.error = {};
  for_rows(zones, [&](Part& part, std::int64_t first, std::int64_t last) {
    std::vector<double> errors;
    for (std::int64_t number = first; number < last; ++number) {
      const Row row = zones.row(number);
      Zone zone = row.first;
      for (int n = 0; n < row.zones; ++n, ++zone.at[0])
        errors.push_back(std::fabs(row.values[field::density][n] - exact(zone)) *
                         description_.grid.volume(zone));
    }
    part.error.add(errors);
  });
}

void Measures::compare(workload::Listener& listener, const Zones& zones, double time) {
  listener.kernel(compare_card(), static_cast<double>(zones.box.zones()),
                  [&] { add_errors(zones, time); });
  Accumulator mine;
  for (const Part& part : parts_) mine.add(part.error);
  double sum = 0.0;
  norms_->run(listener, {&mine, 1}, {&sum, 1});
  measured_.l1 = sum / volume_;
}

void Measures::fail(workload::Listener& listener, const Zones& zones, const Tally& tally,
                    const std::string& what) const {
  const Grid& grid = description_.grid;
  double lowest[1] = {-infinity};  // minus the number of the zone
  const Part& part = fastest();
  if (measured_.collapsed > 0 ? tally.collapsed > 0 : part.rate == measured_.inverse_timestep)
    lowest[0] = -static_cast<double>(grid.number_of(
        measured_.collapsed > 0 ? tally.collapsed_zone
                                : kernels_.fastest_zone(zones.row(part.fastest_row))));
  listener.max(phases::courant, lowest, team_);
  const Zone zone = grid.zone_of(static_cast<std::int64_t>(-lowest[0]));
  // A zone that collapsed in a sweep may be another rank's since.
  std::array<double, field::count> state{};
  if (zones.box.has(zone))
    for (int f = 0; f < field::count; ++f)
      state[f] =
          zones.values[f * zones.box.zones() + zones.box.place(zone.at[0], zone.at[1], zone.at[2])];
  listener.sum(phases::courant, state, team_);
  std::string place, velocity;
  for (int axis = 0; axis < grid.dimensions(); ++axis) {
    place += (axis > 0 ? ", " : "") + std::to_string(zone.at[axis]);
    velocity += (axis > 0 ? ", " : "") + shown(state[field::velocity + axis]);
  }
  throw std::runtime_error(what + " at zone (" + place + "), where the density is " +
                           shown(state[field::density]) + ", the pressure " +
                           shown(state[field::pressure]) + " and the velocity (" + velocity + ")");
}

std::vector<workload::Value> Measures::record() const {
  const auto& all = measured_.integrals;
  std::vector<workload::Value> values{
      {"mass", {}, {all[RowKernels::mass]}},
      {"momentum",
       {3},
       {all[RowKernels::momentum], all[RowKernels::momentum + 1], all[RowKernels::momentum + 2]}},
      {"energy", {}, {all[RowKernels::energy]}},
      {"mach", {}, {measured_.mach}},
      {"floors",
       {2},
       {static_cast<double>(measured_.floors[0]), static_cast<double>(measured_.floors[1])}},
      {"newton_steps", {}, {measured_.newton_steps}}};
  if (description_.solution) values.push_back({"l1", {}, {measured_.l1}});
  return values;
}

}  // namespace phasewise::hydro
