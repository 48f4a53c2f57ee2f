#include "driver/bunch.hpp"

#include <cmath>

namespace phasewise::driver {
namespace {

constexpr double coulomb_energy_length = 1.43996454478e-9;  // e²/(4π ε0) [eV m], CODATA 2018

}  // namespace

double Bunch::beta() const { return std::sqrt(1.0 - 1.0 / (gamma() * gamma())); }

double Bunch::classical_radius() const { return coulomb_energy_length / mass; }

double kick_scale(const Bunch& target, const Bunch& source, double cos_phi) {
  const double b = target.beta(), other = source.beta();
  const double kinematics = (1.0 + b * other) / ((b + other) * b);
  return 2.0 * source.per_macroparticle() * target.charge * source.charge *
         target.classical_radius() / (target.gamma() * cos_phi) * kinematics;
}

}  // namespace phasewise::driver
