#include "atmosphere/geometry.hpp"

#include <cmath>
#include <numbers>

namespace phasewise::atmosphere {
namespace {

// A zero of the Legendre polynomial of n, and its Gaussian weight. The recurrence runs in long
// double, so that both are right to the last digit of a double.
struct Zero {
  long double x, weight;
};

struct ValueAndSlope {
  long double value, slope;
};

ValueAndSlope legendre_at(int n, long double x) {
  long double before = 1.0L, here = x;
  for (int l = 2; l <= n; ++l) {
    const long double next = ((2 * l - 1) * x * here - (l - 1) * before) / l;
    before = here;
    here = next;
  }
  return {here, n * (before - x * here) / (1.0L - x * x)};
}

// Number 0 is the nearest to 1. Newton's method improves Tricomi's approximation.
Zero zero_of(int n, int number) {
  constexpr int most_steps = 20;
  const long double angle = std::numbers::pi_v<long double> * (number + 0.75L) / (n + 0.5L);
  long double x = (1.0L - (n - 1.0L) / (8.0L * n * n * n)) * std::cos(angle);
  if (2 * number + 1 == n) x = 0.0L;
  for (int step = 0; step < most_steps && x != 0.0L; ++step) {
    const ValueAndSlope p = legendre_at(n, x);
    x -= p.value / p.slope;
    if (std::fabs(p.value / p.slope) < 1e-18L) break;
  }
  const long double slope = legendre_at(n, x).slope;
  return {x, 2.0L / ((1.0L - x * x) * slope * slope)};
}

}  // namespace

Geometry::Geometry(const GridSetting& grid) : grid_(grid) {
  const int n = grid.latitudes;
  for (std::vector<double>* values : {&sine_, &cosine_, &radians_, &share_})
    values->resize(static_cast<std::size_t>(n));
  for (int number = 0; number < (n + 1) / 2; ++number) {
    const Zero zero = zero_of(n, number);
    const int south = number, north = n - 1 - number;
    const auto sine = static_cast<double>(zero.x);
    for (const int row : {south, north}) {
      cosine_[row] = static_cast<double>(std::sqrt((1.0L - zero.x) * (1.0L + zero.x)));
      share_[row] = static_cast<double>(0.5L * zero.weight / grid.longitudes);
    }
    sine_[north] = sine;
    sine_[south] = -sine;
    radians_[north] = std::asin(sine);
    radians_[south] = -radians_[north];
  }
}

double Geometry::longitude(int number) const {
  return 2.0 * std::numbers::pi * (number + 0.5) / grid_.longitudes;
}

}  // namespace phasewise::atmosphere
