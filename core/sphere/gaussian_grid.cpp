#include "sphere/gaussian_grid.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace phasewise::sphere {
namespace {

// P_n(x) and its derivative. The recurrence runs in long double, so that the sines and weights are
// right to the last digit of a double.
struct Polynomial {
  long double value, slope;
};

Polynomial legendre_polynomial(int n, long double x) {
  long double before = 1.0L, here = x;
  for (int l = 2; l <= n; ++l) {
    const long double next = ((2 * l - 1) * x * here - (l - 1) * before) / l;
    before = here;
    here = next;
  }
  return {here, n * (before - x * here) / (1.0L - x * x)};
}

}  // namespace

GaussianPairs gaussian_pairs(int latitudes) {
  if (latitudes < 2 || latitudes % 2 != 0)
    throw std::invalid_argument("a Gaussian grid of pairs has an even number of latitudes, not " +
                                std::to_string(latitudes));
  constexpr int most_steps = 20;
  GaussianPairs result;
  for (int pair = 0; pair < latitudes / 2; ++pair) {
    // Tricomi's approximation, which Newton's method improves.
    const long double n = latitudes,
                      angle = std::numbers::pi_v<long double> * (pair + 0.75L) / (n + 0.5L);
    long double x = (1.0L - (n - 1.0L) / (8.0L * n * n * n)) * std::cos(angle);
    for (int step = 0; step < most_steps; ++step) {
      const Polynomial p = legendre_polynomial(latitudes, x);
      const long double change = p.value / p.slope;
      x -= change;
      if (std::fabs(change) < 1e-18L) break;
    }
    const long double slope = legendre_polynomial(latitudes, x).slope;
    result.sine.push_back(static_cast<double>(x));
    result.weight.push_back(static_cast<double>(2.0L / ((1.0L - x * x) * slope * slope)));
  }
  return result;
}

}  // namespace phasewise::sphere
