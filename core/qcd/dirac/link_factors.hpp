// The phase of the boundary and the factor of anisotropy, with which the hopping matrix takes
// links.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "numerics/complex_product.hpp"
#include "qcd/geometry.hpp"

namespace phasewise::qcd {

inline constexpr int link_doubles = 18, site_link_doubles = axes * link_doubles;

struct LinkFactors {
  std::array<double, axes> phases{};                     // of ψ(x + L), units of π
  std::array<double, axes> weights{1.0, 1.0, 1.0, 1.0};  // those of the hops along each axis
};

// e^{iπ phase}, exact if the phase is a multiple of 1/2.
inline std::array<double, 2> boundary_factor(double phase) {
  const double turn = phase - 2.0 * std::floor(phase / 2.0);
  if (turn == 0.0) return {1.0, 0.0};
  if (turn == 0.5) return {0.0, 1.0};
  if (turn == 1.0) return {-1.0, 0.0};
  if (turn == 1.5) return {0.0, -1.0};
  return {std::cos(std::numbers::pi * turn), std::sin(std::numbers::pi * turn)};
}

// A link times a complex factor and a real one; `to` may be `from`.
inline void multiply_link(const std::array<double, 2>& factor, double weight, const double* from,
                          double* to) {
  for (int i = 0; i < link_doubles; i += 2) {
    const double a = weight * from[i], b = weight * from[i + 1];
    const auto [re, im] = numerics::complex_product(factor[0], factor[1], a, b);
    to[i] = re;
    to[i + 1] = im;
  }
}

// Works in place, for the part of the lattice that a rank has.
inline void apply_factors(const LinkFactors& factors, const Domain& domain, double* links) {
  const Extents box = domain.extents();
  for_each_site(box, [&](const Extents& at) {
    double* site = links + site_of(box, at) * site_link_doubles;
    const Extents global = domain.global(at);
    for (int axis = 0; axis < axes; ++axis) {
      const bool last = global[axis] == domain.size[axis] - 1;
      double* link = site + axis * link_doubles;
      multiply_link(boundary_factor(last ? factors.phases[axis] : 0.0), factors.weights[axis], link,
                    link);
    }
  });
}

}  // namespace phasewise::qcd
