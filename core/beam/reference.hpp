// The reference particle, and the distance that others gain on it.
#pragma once

#include <cmath>

#include "parallel/macros.hpp"

namespace phasewise::beam {

struct Reference {
  double beta2 = 1.0;           // (velocity over c)²
  double inverse_gamma2 = 0.0;  // 1/γ²

  // The energy exceeds the mass; both are in eV.
  static Reference of(double energy, double mass) {
    const double ratio = mass / energy;
    return {(1.0 - ratio) * (1.0 + ratio), ratio * ratio};
  }
  double beta() const { return std::sqrt(beta2); }
};

// E/E0 of a particle, its energy over the reference particle's.
template <class Value>
PHASEWISE_HD Value energy_ratio(const Value& delta, const Reference& r) {
  using std::sqrt;
  return sqrt(1.0 + r.beta2 * (delta * (2.0 + delta)));
}

// β/β0 - 1 of a particle, in a form in which nothing cancels.
template <class Value>
PHASEWISE_HD Value excess_velocity(const Value& delta, const Reference& r) {
  const Value p = 1.0 + delta, e = energy_ratio(delta, r);
  return r.inverse_gamma2 * (delta * (2.0 + delta)) / (e * (p + e));
}

}  // namespace phasewise::beam
