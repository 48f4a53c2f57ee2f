#include "collision/radiation/photon_spectrum.hpp"

#include <numbers>

#include "numerics/elementary.hpp"

namespace phasewise::collision {
namespace {

using numerics::exp_real;

// The trapezoidal rule in t for integrals of exp(-y cosh t): with this step its error is below
// 1e-16, since the integrands are analytic up to a distance of π/2 from the real axis.
constexpr double rule_step = 0.25;
constexpr int rule_nodes = 256;

// Integrals over t > 0 of exp(-y cosh t) times a function of t, in closed form:
//   K2/3(y): cosh(2t/3),   ∫_y^∞ K5/3: cosh(5t/3)/cosh t,   ∫_y^∞ ∫_x^∞ K5/3: cosh(5t/3)/cosh² t.
class Bessel {
 public:
  struct Values {
    double k23, beyond, tail;
  };

  Bessel() : node_(rule_nodes) {
    for (int i = 0; i < rule_nodes; ++i) {
      const double t = rule_step * i, weight = i == 0 ? 0.5 * rule_step : rule_step;
      const double c = cosh(t), c53 = cosh(5.0 * t / 3.0);
      node_[i] = {c, weight * cosh(2.0 * t / 3.0), weight * c53 / c, weight * c53 / (c * c)};
    }
  }

  Values at(double y) const {
    Values sum{};
    for (const Node& n : node_) {
      const double exponent = y * n.cosh;
      if (exponent > 740.0) break;
      const double e = exp_real(-exponent);
      sum.k23 += e * n.k23;
      sum.beyond += e * n.beyond;
      sum.tail += e * n.tail;
    }
    return sum;
  }

 private:
  struct Node {
    double cosh, k23, beyond, tail;
  };
  static double cosh(double t) { return 0.5 * (exp_real(t) + exp_real(-t)); }

  std::vector<Node> node_;
};

constexpr double classical_total = 5.0 * std::numbers::pi / 3.0;

// Moves the cube root of y, by Newton's method, to where the share `rest` of the photons lies
// beyond y.
ClassicalPhoton solve_for_rest(const Bessel& bessel, double rest, double& root) {
  constexpr int iterations = 6;
  Bessel::Values v{};
  for (int i = 0; i < iterations; ++i) {
    v = bessel.at(root * root * root);
    const double slope = 3.0 * root * root * v.beyond / v.tail;  // -d ln(tail)/d root
    root += numerics::log_positive(v.tail / (classical_total * rest)) / slope;
  }
  v = bessel.at(root * root * root);
  return {root, v.k23 / v.beyond};
}

// A place in y for the integrals over the spectrum, evenly in ln y.
struct SpectrumPlace {
  double y, number, beyond, k23;
};

std::vector<SpectrumPlace> spectrum_places(const Bessel& bessel) {
  constexpr double lowest = -55.0, highest = 6.0;  // y^(1/3) is 1e-8 there, exp(-y) 1e-175
  std::vector<SpectrumPlace> result;
  for (int i = 0; lowest + rule_step * i < highest; ++i) {
    const double y = exp_real(lowest + rule_step * i);
    const Bessel::Values v = bessel.at(y);
    result.push_back({y, rule_step * y, v.beyond, v.k23});
  }
  return result;
}

PhotonSpectrum::Quantum quantum_of(const std::vector<SpectrumPlace>& places, double upsilon) {
  const double xi = 1.5 * upsilon, classical_mean = 8.0 / (15.0 * std::numbers::sqrt3);
  double number = 0.0, loss = 0.0;
  for (const SpectrumPlace& p : places) {
    const double t = xi * p.y, inverse = 1.0 / (1.0 + t);
    const double rate =
        p.number * (p.beyond + t * t * inverse * p.k23) * (inverse * inverse) / classical_total;
    number += rate;
    loss += rate * p.y * inverse;  // u/ξ
  }
  return {number, loss / classical_mean};
}

}  // namespace

PhotonSpectrum::PhotonSpectrum() {
  const Bessel bessel;
  // Towards y = 0 the share of the photons below y grows with the cube root of y, at this slope.
  constexpr double slope = 1.231612;
  low_.push_back({0.0, 0.5});
  double root = 0.0;
  for (int i = 1; i <= low_entries; ++i) {
    root += 0.5 / low_entries / slope;
    low_.push_back(solve_for_rest(bessel, 1.0 - 0.5 * i / low_entries, root));
  }
  for (int octave = 0; octave < octaves; ++octave) {
    const double lowest = std::bit_cast<double>(static_cast<std::uint64_t>(1022 - octave) << 52);
    // From the upper end of the octave, so that the root begins near the previous one.
    std::vector<ClassicalPhoton> here(per_octave + 1);
    for (int i = per_octave; i >= 0; --i) {
      // Deviates begin at 1/2: nothing is read in the octave above, except at its lower end.
      const double rest = octave == 0 ? 0.5 : lowest * (1.0 + static_cast<double>(i) / per_octave);
      here[i] = solve_for_rest(bessel, rest, root);
    }
    high_.insert(high_.end(), here.begin(), here.end());
  }
  const std::vector<SpectrumPlace> spectrum = spectrum_places(bessel);
  quantum_.push_back({1.0, 1.0});
  for (int i = 1; i < quantum_entries; ++i) {
    const double part = static_cast<double>(i) / quantum_entries;
    quantum_.push_back(quantum_of(spectrum, part / (1.0 - part)));
  }
  quantum_.push_back({0.0, 0.0});
}

const PhotonSpectrum& PhotonSpectrum::instance() {
  static const PhotonSpectrum table;
  return table;
}

}  // namespace phasewise::collision
