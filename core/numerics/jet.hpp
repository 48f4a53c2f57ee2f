// Numbers that carry their first and second derivatives by the six coordinates. A formula applied
// to them gives the second-order Taylor expansion of a map, exact to rounding (truncated power
// series; Berz, "Modern Map Methods in Particle Beam Physics" (1999), chapter 2).
#pragma once

#include <array>
#include <cmath>

#include "numerics/constants.hpp"
#include "numerics/elementary.hpp"

namespace phasewise::numerics {

// value + Σ first_i u_i + Σ second_ij u_i u_j, with second symmetric.
struct Jet {
  static constexpr int variables = 6;
  double value = 0.0;
  std::array<double, variables> first{};
  std::array<std::array<double, variables>, variables> second{};

  Jet() = default;
  // A constant; converts implicitly, as numbers do in a formula.
  Jet(double constant) : value(constant) {}  // NOLINT(google-explicit-constructor)
  static Jet variable(int number, double value = 0.0) {
    Jet jet(value);
    jet.first[number] = 1.0;
    return jet;
  }
};

// f(a), from f and its first two derivatives at a's value.
inline Jet composed(const Jet& a, double f, double slope, double curvature) {
  Jet result(f);
  for (int i = 0; i < Jet::variables; ++i) {
    result.first[i] = slope * a.first[i];
    for (int j = 0; j < Jet::variables; ++j)
      result.second[i][j] = slope * a.second[i][j] + 0.5 * curvature * a.first[i] * a.first[j];
  }
  return result;
}

inline Jet operator+(Jet a, const Jet& b) {
  a.value += b.value;
  for (int i = 0; i < Jet::variables; ++i) {
    a.first[i] += b.first[i];
    for (int j = 0; j < Jet::variables; ++j) a.second[i][j] += b.second[i][j];
  }
  return a;
}
inline Jet operator-(const Jet& a) { return composed(a, -a.value, -1.0, 0.0); }
inline Jet operator-(const Jet& a, const Jet& b) { return a + -b; }
inline Jet operator*(const Jet& a, const Jet& b) {
  Jet result(a.value * b.value);
  for (int i = 0; i < Jet::variables; ++i) {
    result.first[i] = a.value * b.first[i] + b.value * a.first[i];
    for (int j = 0; j < Jet::variables; ++j)
      result.second[i][j] = a.value * b.second[i][j] + b.value * a.second[i][j] +
                            0.5 * (a.first[i] * b.first[j] + a.first[j] * b.first[i]);
  }
  return result;
}
inline Jet operator/(const Jet& a, const Jet& b) {
  const double r = 1.0 / b.value;
  return a * composed(b, r, -r * r, 2.0 * r * r * r);
}

inline Jet sqrt(const Jet& a) {
  const double root = std::sqrt(a.value);
  return composed(a, root, 0.5 / root, -0.25 / (root * a.value));
}
inline Jet arcsine(const Jet& a) {
  const double inverse = 1.0 / std::sqrt(1.0 - a.value * a.value);
  return composed(a, arcsine(a.value), inverse, a.value * inverse * inverse * inverse);
}
inline void sincos_turns(const Jet& turns, Jet& sine, Jet& cosine) {
  double s = 0.0, c = 0.0;
  sincos_turns(turns.value, s, c);
  sine = composed(turns, s, two_pi * c, -two_pi * two_pi * s);
  cosine = composed(turns, c, -two_pi * s, -two_pi * two_pi * c);
}

}  // namespace phasewise::numerics
