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

  Primitive at(const double* point, double time) const override {
    const double x = point[0] - middle_;
    if (time <= 0.0) return x < 0.0 ? states_.left : states_.right;
    return waves_.at(x / time);
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

  Primitive at(const double* point, double time) const override {
    const double r = distance(grid_, point);
    Primitive state = blast_.at(r, time);
    const double speed = state.velocity[0];
    for (int axis = 0; axis < grid_.dimensions(); ++axis) {
      const Axis& of = grid_.axes[axis];
      const double x = is_angle(of.geometry) ? 0.0 : point[axis] - centre_along(of);
      state.velocity[axis] = r > 0.0 ? speed * (x / r) : 0.0;
    }
    return state;
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
  OfWave(const Problem& problem, const Axis& axis)
      : wave_(problem.gas.gamma, problem.amplitude, axis) {}

  Primitive at(const double* point, double time) const override { return wave_.at(point[0], time); }
  std::vector<double> breaks(double) const override { return {}; }
  double ends() const override { return wave_.breaks_at(); }
  bool along_first_axis() const override { return true; }

 private:
  SimpleWave wave_;
};

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

double SimpleWave::breaks_at() const {
  return length_ / (0.5 * (gamma_ + 1.0) * std::fabs(amplitude_) * two_pi);
}

Primitive SimpleWave::at(double x, double time) const {
  // u = A sin 2π(x - (1 + (γ+1)/2 u) t) in units of the length.
  const double moved = (x - low_ - time) / length_;
  const double turn = 0.5 * (gamma_ + 1.0) * time / length_;
  double u = 0.0;
  for (int step = 0; step < 50; ++step) {
    const double angle = two_pi * (moved - turn * u);
    const double change =
        (u - amplitude_ * std::sin(angle)) / (1.0 + amplitude_ * two_pi * turn * std::cos(angle));
    u -= change;
    if (std::fabs(change) <= 1e-16 * std::fabs(amplitude_)) break;
  }
  const double sound = 1.0 + 0.5 * (gamma_ - 1.0) * u;
  return {.density = std::pow(sound, 2.0 / (gamma_ - 1.0)),
          .pressure = std::pow(sound, 2.0 * gamma_ / (gamma_ - 1.0)) / gamma_,
          .velocity = {u}};
}

double Solution::ends() const { return std::numeric_limits<double>::infinity(); }

std::unique_ptr<const Solution> Solution::of(const Problem& problem, const Grid& grid) {
  if (problem.gravity.any()) return nullptr;
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
      if (grid.axes[0].geometry != Geometry::planar) return nullptr;
      return std::make_unique<OfWave>(problem, grid.axes[0]);
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
      sum += weight * solution_.at(point, time_).density;
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
    mean += weight * solution_.at(point, time_).density;
  });
  return mean;
}

}  // namespace phasewise::hydro
