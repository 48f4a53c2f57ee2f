// Sedov's solution by the closed form of Kamm and Timmes (LA-UR-07-2849, 2007), whose letters it
// has, for a uniform density; Noh's.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "hydro/exact.hpp"
#include "hydro/quadrature.hpp"
#include "numerics/constants.hpp"

namespace phasewise::hydro {
namespace {

constexpr int table_size = 8192;

// The state behind a shock at λ = r/R, over that at the shock, as functions of the similarity
// variable V. V - V0 is a power of σ, 0 to 1, with which λ grows in proportion near the centre.
class SelfSimilar {
 public:
  SelfSimilar(double gamma, int j) : gamma_(gamma), j_(j) {
    const double n = j + 2.0, m = 2.0 * (gamma - 1.0) + j;
    v0_ = 2.0 / (n * gamma);
    v2_ = 4.0 / (n * (gamma + 1.0));
    a_ = 0.25 * n * (gamma + 1.0);
    b_ = (gamma + 1.0) / (gamma - 1.0);
    c_ = 0.5 * n * gamma;
    d_ = n * (gamma + 1.0) / (n * (gamma + 1.0) - 2.0 * (2.0 + j * (gamma - 1.0)));
    e_ = 0.5 * (2.0 + j * (gamma - 1.0));
    alpha0_ = 2.0 / n;
    alpha2_ = -(gamma - 1.0) / m;
    const double rest = j * (2.0 - gamma);
    alpha1_ = n * gamma / (2.0 + j * (gamma - 1.0)) * (2.0 * rest / (gamma * n * n) - alpha2_);
    alpha3_ = j / m;
    alpha4_ = n * j / rest * alpha1_;
    alpha5_ = -2.0 * j / rest;
  }

  struct State {
    double radius, slope, velocity, density, pressure;  // slope: dλ/dσ
  };
  State at(double sigma) const {
    const double power = -1.0 / alpha2_, above = (v2_ - v0_) * std::pow(sigma, power);
    const double v = v0_ + above;
    const double x1 = a_ * v, x2 = b_ * c_ * above, x3 = d_ * (1.0 - e_ * v);
    const double x4 = b_ * (1.0 - c_ / gamma_ * v);
    const double radius = std::pow(x1, -alpha0_) * std::pow(x2, -alpha2_) * std::pow(x3, -alpha1_);
    // d ln λ / dV times dV/dσ; near the centre the second term is 1/σ.
    const double along = above * power;
    const double relative =
        (-alpha0_ / v * along - alpha2_ * power) + alpha1_ * d_ * e_ / x3 * along;
    return {radius, sigma > 0.0 ? radius * relative / sigma : 1.0, x1 * radius,
            std::exp(alpha3_ * std::log(x2) + alpha4_ * std::log(x3) + alpha5_ * std::log(x4)),
            std::exp(alpha0_ * j_ * std::log(x1) + (alpha4_ - 2.0 * alpha1_) * std::log(x3) +
                     (1.0 + alpha5_) * std::log(x4))};
  }

 private:
  double gamma_;
  int j_;
  double v0_, v2_, a_, b_, c_, d_, e_;
  double alpha0_, alpha1_, alpha2_, alpha3_, alpha4_, alpha5_;
};

// Of a sphere in n dimensions of radius 1; in one dimension, both sides.
double surface(int dimensions) {
  return dimensions == 1 ? 2.0 : numerics::two_pi * (dimensions - 1);
}

double find_alpha(const SelfSimilar& similar, double gamma, int j) {
  const double speed = 2.0 / (j + 2.0);  // of the shock, times t/R
  const double kinetic = 2.0 * speed * speed / ((gamma - 1.0) * (gamma + 1.0));
  constexpr int parts = 2000;
  double sum = 0.0;
  for (int part = 0; part < parts; ++part)
    for (int node = 0; node < 4; ++node) {
      const auto at = similar.at((part + 0.5 + gauss_points[node]) / parts);
      const double energy = at.density * at.velocity * at.velocity + at.pressure;
      sum += gauss_weights[node] / parts * std::pow(at.radius, j - 1) * at.slope * energy;
    }
  return surface(j) * kinetic * sum;
}

}  // namespace

SedovSolution::SedovSolution(double gamma, int dimensions, double density, double energy)
    : gamma_(gamma), density_(density), energy_(energy), dimensions_(dimensions) {
  if (dimensions == 3 && gamma >= 7.0)
    throw std::invalid_argument(
        "gamma is " + std::to_string(gamma) +
        ": the solution of Sedov's problem in three dimensions needs one below 7");
  // The exponents of two factors are infinite at γ = 2, the product is continuous.
  const double regular = std::fabs(gamma - 2.0) < 1e-6 ? 2.0 + 1e-6 : gamma;
  const SelfSimilar similar(regular, dimensions);
  alpha_ = find_alpha(similar, regular, dimensions);
  double sigma = 0.0;
  for (int k = 0; k <= table_size; ++k) {
    const double wanted = static_cast<double>(k) / table_size;
    for (int step = 0; step < 50 && k > 0 && k < table_size; ++step) {
      const auto at = similar.at(sigma);
      const double change = (wanted - at.radius) / at.slope;
      sigma = std::clamp(sigma + change, 0.5 * sigma, 1.0);
      if (std::fabs(change) < 1e-14) break;
      if (sigma == 0.0) sigma = 0.5 * wanted;
    }
    if (k == table_size) sigma = 1.0;
    const auto at = similar.at(sigma);
    velocity_.push_back(at.velocity);
    density_ratio_.push_back(at.density);
    pressure_.push_back(at.pressure);
  }
}

double SedovSolution::shock(double time) const {
  return std::pow(energy_ * time * time / (alpha_ * density_), 1.0 / (dimensions_ + 2.0));
}

Primitive SedovSolution::at(double r, double time) const {
  const double radius = shock(time);
  Primitive state{.density = density_};
  if (time <= 0.0 || r >= radius) return state;
  const double speed = 2.0 / (dimensions_ + 2.0) * radius / time;
  const double place = r / radius * table_size;
  const int k = std::min(static_cast<int>(place), table_size - 1);
  const double share = place - k;
  const auto found = [&](const std::vector<double>& of) {
    return of[k] + share * (of[k + 1] - of[k]);
  };
  state.density *= (gamma_ + 1.0) / (gamma_ - 1.0) * found(density_ratio_);
  state.velocity[0] = 2.0 / (gamma_ + 1.0) * speed * found(velocity_);
  state.pressure = 2.0 / (gamma_ + 1.0) * density_ * speed * speed * found(pressure_);
  return state;
}

Primitive NohSolution::at(double r, double time) const {
  Primitive state{.density = 1.0};
  const double compression = (gamma_ + 1.0) / (gamma_ - 1.0);
  if (r < shock(time)) {
    state.density = std::pow(compression, dimensions_);
    state.pressure = 0.5 * (gamma_ - 1.0) * state.density;
  } else {
    state.density = std::pow(1.0 + time / std::max(r, 1e-300), dimensions_ - 1);
    state.velocity[0] = -1.0;
  }
  return state;
}

}  // namespace phasewise::hydro
