// Links of SU(3) whose third rows are computed from the first two: 12 reals instead of 18.
#pragma once

#include <array>
#include <optional>

#include "qcd/dirac/link_factors.hpp"
#include "qcd/dirac/spin.hpp"
#include "qcd/geometry.hpp"

namespace phasewise::qcd {

// How the third row of a link of SU(3), which includes a weight and the sign of a boundary, follows
// from the first two: this is the factor of the conjugate of their cross product.
struct ThirdRow {
  std::array<double, axes> scale{1.0, 1.0, 1.0, 1.0};
  // -1 for the links that cross the box's edge, [axis][0] towards the positive side.
  std::array<std::array<double, 2>, axes> sign{{{1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}}};

  double factor(const Extents& box, const Extents& at, int axis, int side) const {
    const bool crosses = at[axis] == (side == 0 ? box[axis] - 1 : 0);
    return crosses ? sign[axis][side] * scale[axis] : scale[axis];
  }
};

// The factors for a rank's links; none if a phase of the boundary is not a sign.
inline std::optional<ThirdRow> third_row_of(const LinkFactors& factors, const Domain& domain) {
  ThirdRow found;
  for (int axis = 0; axis < axes; ++axis) {
    const auto [re, im] = boundary_factor(factors.phases[axis]);
    if (im != 0.0) return std::nullopt;
    found.scale[axis] = 1.0 / factors.weights[axis];
    if (domain.place[axis] == domain.grid[axis] - 1) found.sign[axis][0] = re;
    if (domain.place[axis] == 0) found.sign[axis][1] = re;
  }
  return found;
}

}  // namespace phasewise::qcd
