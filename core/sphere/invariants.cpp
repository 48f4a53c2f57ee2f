#include "sphere/invariants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "parallel/loops.hpp"
#include "sphere/kernels.hpp"
#include "sphere/phases.hpp"

namespace phasewise::sphere {
namespace {

constexpr int invariants = 3, with_errors = 7;

// The part of a pair's value that belongs to a hemisphere.
double part(const Complex& value, int hemisphere) {
  return hemisphere == 0 ? value.real() : value.imag();
}

}  // namespace

Invariants::Invariants(const Description& description, const workload::Nodes& nodes,
                       const exchange::TeamPointer& team, const GaussianPairs& latitudes,
                       const TestCase* test)
    : description_(description),
      team_(team),
      latitudes_(latitudes),
      test_(test),
      sums_(description.has_solution() ? with_errors : invariants),
      sum_({.phase = phases::invariants, .algorithm = description.manner.invariants}, team, nodes,
           sums_ * description.levels) {
  const auto levels = static_cast<std::size_t>(description.levels);
  for (auto* values : {&measured_.mass, &measured_.energy, &measured_.enstrophy, &measured_.l1,
                       &measured_.l2, &measured_.linf})
    values->assign(levels, 0.0);
  measured_.stations.assign(description.stations.size() * levels, 0.0);
}

// The products of depth, winds and vorticity that the invariants are sums of; four fields are read.
parallel::KernelCard diagnose_card() {
  return {.name = "diagnose", .flops = 20.0, .bytes = 32.0, .vectorised = true};
}

// A point of the grid is a real number of a row: north and south in turn.
Invariants::Terms Invariants::terms_of(const GridFields& fields, int pair, int level, double mean,
                                       double time) const {
  const std::int64_t at = level * fields.rows.stride, ground_at = fields.surface_row(pair);
  const auto reals = [](const Complex* row) { return reinterpret_cast<const double*>(row); };
  const double* u = reals(fields.at(grid::u, pair) + at);
  const double* v = reals(fields.at(grid::v, pair) + at);
  const double* vorticity = reals(fields.at(grid::vorticity, pair) + at);
  const double* geopotential = reals(fields.at(grid::geopotential, pair) + at);
  const double* ground = reals(fields.ground.data() + ground_at);
  const double* coriolis = reals(fields.coriolis.data() + ground_at);
  const int points = 2 * fields.rows.longitudes;
  const double g = description_.gravity, sine = latitudes_.sine[pair];
  const double squared = cosine_squared(sine);
  Terms terms;
  constexpr int block = 128;  // points whose terms are computed together, and then added in order
  double depth[block], energy[block], enstrophy[block];
  for (int first = 0; first < points; first += block) {
    const int count = std::min(block, points - first);
    for (int i = 0; i < count; ++i) {
      const int k = first + i;
      const double absolute = vorticity[k] + coriolis[k];
      depth[i] = (geopotential[k] + mean) / g;
      energy[i] = 0.5 * depth[i] * ((u[k] * u[k] + v[k] * v[k]) / squared) +
                  0.5 * g * depth[i] * (depth[i] + 2.0 * ground[k]);
      enstrophy[i] = 0.5 * (absolute * absolute) / depth[i];
    }
    for (int i = 0; i < count; ++i) {
      terms.mass += depth[i];
      terms.energy += energy[i];
      terms.enstrophy += enstrophy[i];
    }
    if (!description_.has_solution()) continue;
    for (int i = 0; i < count; ++i) {
      const int side = (first + i) % 2, column = (first + i) / 2;
      const Point point{2 * pair + side, side == 0 ? sine : -sine,
                        2.0 * std::numbers::pi * column / fields.rows.longitudes};
      const double truth = test_->depth_at(point, level, time);
      const double error = std::fabs(depth[i] - truth);
      terms.error += error;
      terms.square += error * error;
      terms.truth += std::fabs(truth);
      terms.truth_square += truth * truth;
      terms.largest_error = std::max(terms.largest_error, error);
      terms.largest = std::max(terms.largest, std::fabs(truth));
    }
  }
  return terms;
}

void Invariants::measure(workload::Listener& listener, const GridFields& fields,
                         const std::vector<double>& mean_geopotential, double time, int threads) {
  const int pairs = size_of(fields.pairs), levels = description_.levels;
  std::vector<Terms> terms;
  const double points = 2.0 * pairs * fields.rows.longitudes * levels;
  listener.kernel(diagnose_card(), points, [&] {
    terms.resize(static_cast<std::size_t>(pairs) * levels);
    parallel::for_tasks(pairs * levels, threads, [&](int task, int) {
      const int level = task % levels;
      terms[task] = terms_of(fields, fields.pairs.first + task / levels, level,
                             mean_geopotential[level], time);
    });
  });
  std::vector<double> largest(2 * static_cast<std::size_t>(levels));
  std::vector<double> sums(static_cast<std::size_t>(sums_) * levels);
  std::vector<numerics::LongAccumulator> parts(sums.size());
  for (int level = 0; level < levels; ++level)
    for (int pair = 0; !terms.empty() && pair < pairs; ++pair) {
      const Terms& row = terms[static_cast<std::size_t>(pair) * levels + level];
      const double weight =
          0.5 * latitudes_.weight[fields.pairs.first + pair] / fields.rows.longitudes;
      const double values[with_errors] = {row.mass,   row.energy, row.enstrophy,   row.error,
                                          row.square, row.truth,  row.truth_square};
      for (int i = 0; i < sums_; ++i) parts[level * sums_ + i].add(weight * values[i]);
      largest[2 * level] = std::max(largest[2 * level], row.largest_error);
      largest[2 * level + 1] = std::max(largest[2 * level + 1], row.largest);
    }
  sum_.run(listener, parts, sums);
  for (int level = 0; level < levels; ++level)
    take(std::span(sums).subspan(static_cast<std::size_t>(sums_) * level, sums_), level);
  if (description_.has_solution()) {
    listener.max(phases::norms, largest, team_);
    for (int level = 0; level < levels; ++level)
      measured_.linf[level] = largest[2 * level] / largest[2 * level + 1];
  }
  measure_stations(listener, fields, mean_geopotential);
}

void Invariants::take(std::span<const double> sums, int level) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  measured_.mass[level] = sums[0];
  // Where a given flow moves a tracer, its energy has no meaning.
  measured_.energy[level] = description_.advects() ? none : sums[1];
  measured_.enstrophy[level] = description_.advects() ? none : sums[2];
  if (!description_.has_solution()) return;
  measured_.l1[level] = sums[3] / sums[5];
  measured_.l2[level] = std::sqrt(sums[4] / sums[6]);
}

// Only the rank that has a station adds its height.
void Invariants::measure_stations(workload::Listener& listener, const GridFields& fields,
                                  const std::vector<double>& mean_geopotential) {
  if (description_.stations.empty()) return;
  const int levels = description_.levels, n = fields.rows.longitudes;
  std::fill(measured_.stations.begin(), measured_.stations.end(), 0.0);
  for (std::size_t s = 0; !latitudes_.sine.empty() && s < description_.stations.size(); ++s) {
    const auto [latitude, longitude] = description_.stations[s];
    const auto away = [&](double sine) { return std::fabs(std::asin(sine) - std::fabs(latitude)); };
    int pair = 0;
    for (int other = 1; other < description_.pairs(); ++other)
      if (away(latitudes_.sine[other]) < away(latitudes_.sine[pair])) pair = other;
    if (pair < fields.pairs.first || pair >= fields.pairs.second) continue;
    const auto nearest =
        static_cast<std::int64_t>(std::floor(longitude / (2.0 * std::numbers::pi) * n + 0.5)) % n;
    const std::int64_t i = nearest < 0 ? nearest + n : nearest;
    const int side = latitude < 0.0 ? 1 : 0;
    for (int level = 0; level < levels; ++level) {
      const Complex value = fields.at(grid::geopotential, pair)[level * fields.rows.stride + i];
      measured_.stations[s * levels + level] =
          (part(value, side) + mean_geopotential[level]) / description_.gravity +
          part(fields.ground[fields.surface_row(pair) + i], side);
    }
  }
  listener.sum(phases::stations, measured_.stations, team_);
}

std::vector<workload::Value> Invariants::record() const {
  const auto levels = static_cast<std::size_t>(description_.levels);
  std::vector<workload::Value> values{{"mass", {levels}, measured_.mass},
                                      {"energy", {levels}, measured_.energy},
                                      {"potential_enstrophy", {levels}, measured_.enstrophy}};
  if (description_.has_solution()) {
    values.push_back({"l1", {levels}, measured_.l1});
    values.push_back({"l2", {levels}, measured_.l2});
    values.push_back({"linf", {levels}, measured_.linf});
  }
  if (!description_.stations.empty())
    values.push_back({"stations", {description_.stations.size(), levels}, measured_.stations});
  return values;
}

}  // namespace phasewise::sphere
