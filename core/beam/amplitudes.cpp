#include "beam/amplitudes.hpp"

#include <cmath>

#include "numerics/elementary.hpp"

namespace phasewise::beam {
namespace {

using numerics::exp_real;
using numerics::log_positive;

// u^power, with the same bits on every machine.
double power(double u, double exponent) { return exp_real(exponent * log_positive(u)); }

constexpr double least = 1e-12;  // rounding must not make a square negative

// The solution t of (1 + t) exp(-t) = u, by Newton's method in the logarithm.
double hollow_square(double u) {
  const double goal = log_positive(u);
  double t = goal > -0.5 ? std::sqrt(-2.0 * goal) : 1.0 - goal;
  for (int step = 0; step < 12; ++step)
    t = std::fmax(t + (log_positive(1.0 + t) - t - goal) * (1.0 + t) / t, least);
  return t;
}

}  // namespace

Amplitudes::Amplitudes(Shape shape, double q, double cut) : shape_(shape), q_(q) {
  if (cut > 0.0) floor_ = share_beyond(cut * cut);
}

// A density (1 - r²/a²)^(m - 1/2), m = 1/(1 - q), or (1 + r²/a²)^-(m + 1/2), m = 1/(q - 1), with a
// for which <r²> = 2.
double Amplitudes::share_beyond(double square) const {
  if (shape_ == Shape::hollow) return (1.0 + square) * exp_real(-square);
  if (q_ == 1.0) return std::exp(-0.5 * square);
  const double m = 1.0 / std::fabs(1.0 - q_);
  if (q_ < 1.0) {
    const double left = 1.0 - square / (2.0 * m + 3.0);
    return left > 0.0 ? power(left, m + 0.5) : 0.0;
  }
  return power(1.0 + square / (2.0 * m - 3.0), 0.5 - m);
}

double Amplitudes::square_of(double u) const {
  const double share = floor_ + (1.0 - floor_) * u;
  if (shape_ == Shape::hollow) return hollow_square(share);
  if (q_ == 1.0) return -2.0 * log_positive(share);
  const double m = 1.0 / std::fabs(1.0 - q_);
  if (q_ < 1.0) return (2.0 * m + 3.0) * (1.0 - power(share, 1.0 / (m + 0.5)));
  return (2.0 * m - 3.0) * (power(share, 1.0 / (0.5 - m)) - 1.0);
}

}  // namespace phasewise::beam
