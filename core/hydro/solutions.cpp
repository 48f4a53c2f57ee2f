// The solutions of problems as densities on a grid, and their means over zones.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "hydro/exact.hpp"
#include "hydro/quadrature.hpp"
#include "hydro/symmetry.hpp"
#include "numerics/constants.hpp"

namespace phasewise::hydro {
namespace {

using numerics::two_pi;

class OfTwoStates : public Solution {
 public:
  OfTwoStates(const Problem& problem, const Axis& axis)
      : middle_(axis.middle()),
        states_(riemann_states(problem.kind)),
        waves_(exact_riemann(problem.gas.gamma, states_.left, states_.right)) {}

  double density(const double* point, double time) const override {
    const double x = point[0] - middle_;
    if (time <= 0.0) return x < 0.0 ? states_.left.density : states_.right.density;
    return waves_.at(x / time).density;
  }
  std::vector<double> breaks(double time) const override {
    std::vector<double> found;
    for (const double speed : {waves_.left_head, waves_.left_tail, waves_.velocity,
                               waves_.right_tail, waves_.right_head})
      found.push_back(middle_ + speed * time);
    return found;
  }
  bool along_first_axis() const override { return true; }

 private:
  double middle_;
  TwoStates states_;
  RiemannSolution waves_;
};

// Of a distance from the centre.
template <class Blast>
class OfDistance : public Solution {
 public:
  OfDistance(Blast blast, const Grid& grid) : blast_(std::move(blast)), grid_(grid) {}

  double density(const double* point, double time) const override {
    return blast_.at(distance(grid_, point), time).density;
  }
  std::vector<double> breaks(double time) const override {
    const double r = blast_.shock(time);
    if (!along_first_axis()) return {r};
    const double centre = centre_along(grid_.axes[0]);
    return {centre - r, centre, centre + r};
  }
  bool along_first_axis() const override { return hydro::along_first_axis(grid_); }

 private:
  Blast blast_;
  Grid grid_;
};

class OfWave : public Solution {
 public:
  OfWave(const Problem& problem, const Grid& grid)
      : wave_(problem.gas.gamma, problem.amplitude, grid), one_(grid.dimensions() == 1) {}

  double density(const double* point, double time) const override {
    return wave_.at(point, time).density;
  }
  std::vector<double> breaks(double) const override { return {}; }
  double ends() const override { return wave_.breaks_at(); }
  bool along_first_axis() const override { return one_; }

 private:
  SimpleWave wave_;
  bool one_;
};

bool is_cartesian(const Grid& grid) {
  return std::all_of(grid.axes.begin(), grid.axes.end(),
                     [](const Axis& axis) { return axis.geometry == Geometry::planar; });
}

}  // namespace

TwoStates riemann_states(Case kind) {
  switch (kind) {
    case Case::lax:
      return {{.density = 0.445, .pressure = 3.528, .velocity = {0.698}},
              {.density = 0.5, .pressure = 0.571}};
    case Case::einfeldt:
      return {{.density = 1.0, .pressure = 0.4, .velocity = {-2.0}},
              {.density = 1.0, .pressure = 0.4, .velocity = {2.0}}};
    default:
      return {{.density = 1.0, .pressure = 1.0}, {.density = 0.125, .pressure = 0.1}};
  }
}

SimpleWave::SimpleWave(double gamma, double amplitude, const Grid& grid)
    : gamma_(gamma), amplitude_(amplitude), grid_(grid) {
  double squares = 0.0;
  for (const Axis& axis : grid.axes)
    squares += 1.0 / ((axis.high - axis.low) * (axis.high - axis.low));
  number_ = std::sqrt(squares);
  for (int axis = 0; axis < grid.dimensions(); ++axis)
    direction_[axis] = 1.0 / ((grid.axes[axis].high - grid.axes[axis].low) * number_);
}

double SimpleWave::breaks_at() const {
  return 1.0 / (0.5 * (gamma_ + 1.0) * std::fabs(amplitude_) * two_pi * number_);
}

Primitive SimpleWave::at(const double* point, double time) const {
  double phase = 0.0;
  for (int axis = 0; axis < grid_.dimensions(); ++axis) {
    const Axis& of = grid_.axes[axis];
    phase += (point[axis] - of.low) / (of.high - of.low);
  }
  // u = A sin 2π(phase - k (1 + (γ+1)/2 u) t).
  const double moved = phase - number_ * time, turn = 0.5 * (gamma_ + 1.0) * number_ * time;
  double u = 0.0;
  for (int step = 0; step < 50; ++step) {
    const double angle = two_pi * (moved - turn * u);
    const double change =
        (u - amplitude_ * std::sin(angle)) / (1.0 + amplitude_ * two_pi * turn * std::cos(angle));
    u -= change;
    if (std::fabs(change) <= 1e-16 * std::fabs(amplitude_)) break;
  }
  const double sound = 1.0 + 0.5 * (gamma_ - 1.0) * u;
  Primitive state{.density = std::pow(sound, 2.0 / (gamma_ - 1.0)),
                  .pressure = std::pow(sound, 2.0 * gamma_ / (gamma_ - 1.0)) / gamma_};
  for (int axis = 0; axis < 3; ++axis) state.velocity[axis] = u * direction_[axis];
  return state;
}

double Solution::ends() const { return std::numeric_limits<double>::infinity(); }

std::unique_ptr<const Solution> Solution::of(const Problem& problem, const Grid& grid) {
  const double gamma = problem.gas.gamma;
  switch (problem.kind) {
    case Case::sod:
    case Case::lax:
    case Case::einfeldt:
      if (grid.axes[0].geometry != Geometry::planar) return nullptr;
      return std::make_unique<OfTwoStates>(problem, grid.axes[0]);
    case Case::sedov:
    case Case::evh1:
      if (symmetry_of(grid) == 3 && gamma >= 7.0) return nullptr;
      return std::make_unique<OfDistance<SedovSolution>>(
          SedovSolution(gamma, symmetry_of(grid), 1.0, problem.energy), grid);
    case Case::noh:
      return std::make_unique<OfDistance<NohSolution>>(NohSolution(gamma, symmetry_of(grid)), grid);
    case Case::acoustic_wave:
      if (!is_cartesian(grid)) return nullptr;
      return std::make_unique<OfWave>(problem, grid);
    default:
      return nullptr;
  }
}

MeanDensity::MeanDensity(const Solution& solution, const Grid& grid, double time)
    : solution_(solution), grid_(grid), time_(time), breaks_(solution.breaks(time)) {
  std::sort(breaks_.begin(), breaks_.end());
  if (solution.along_first_axis())
    for (int i = 0; i < grid.zones_along(0); ++i) means_.push_back(mean_along(i));
}

double MeanDensity::operator()(const Zone& zone) const {
  if (time_ >= solution_.ends()) return std::numeric_limits<double>::quiet_NaN();
  return means_.empty() ? mean_in(zone) : means_[zone.at[0]];
}

double MeanDensity::mean_along(int i) const {
  const Axis& axis = grid_.axes[0];
  std::vector<double> ends = {axis.face(i)};
  for (const double at : breaks_)
    if (at > axis.face(i) && at < axis.face(i + 1)) ends.push_back(at);
  ends.push_back(axis.face(i + 1));
  double sum = 0.0, volume = 0.0;
  for (std::size_t part = 0; part + 1 < ends.size(); ++part)
    for (int node = 0; node < 4; ++node) {
      const double width = ends[part + 1] - ends[part];
      double point[3] = {0.5 * (ends[part] + ends[part + 1]) + width * gauss_points[node]};
      const double weight = gauss_weights[node] * width * area_factor(axis, point[0]);
      sum += weight * solution_.density(point, time_);
      volume += weight;
    }
  return sum / volume;
}

double MeanDensity::mean_in(const Zone& zone) const {
  double vector[3] = {}, squares = 0.0;
  from_centre(grid_, zone, vector);
  for (const double x : vector) squares += x * x;
  const double r = std::sqrt(squares), near = reach(grid_);
  const bool broken = std::any_of(breaks_.begin(), breaks_.end(),
                                  [&](double at) { return std::fabs(r - at) < near; });
  double mean = 0.0;
  for_points(grid_, zone, broken ? 4 : 1, [&](const double* point, double weight) {
    mean += weight * solution_.density(point, time_);
  });
  return mean;
}

}  // namespace phasewise::hydro
