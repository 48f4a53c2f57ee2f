// Contact discontinuities of the density are kept narrow (Colella, Woodward, J. Comput. Phys. 54
// (1984) 174, equations 1.14 to 1.17 and 3.2).
#pragma once

#include "hydro/lagrange.hpp"

namespace phasewise::hydro {

// The second derivative of the density in a moved zone, times two.
template <class V>
PHASEWISE_HD V bend_of_density(const PencilRows<V>& rows, int i) {
  const V *a = rows.moved[field::density], *width = rows.width;
  const V up = (a[i + 1] - a[i]) * rows.inverse_sum[i + 1];
  const V down = (a[i] - a[i - 1]) * rows.inverse_sum[i];
  return (up - down) / ((width[i - 1] + width[i + 1]) + width[i]);
}

// 1 in the middle of a contact, 0 where there is none: where the pressure jumps too, where the
// jump is small, and where the density bends the same way on both sides.
template <class V>
PHASEWISE_HD V contact_share(const PencilWork<V>& work, int i) {
  const PencilRows<V>& rows = work.rows;
  const V *a = rows.moved[field::density], *p = rows.moved[field::pressure], *width = rows.width;
  const V none{}, jump = a[i + 1] - a[i - 1];
  const V least = smaller(a[i - 1], a[i + 1]), size = magnitude(jump);
  const V pressure_jump = magnitude(p[i + 1] - p[i - 1]) * least;
  const auto large = size > 0.01 * least;
  const auto contact =
      (0.1 * work.constants.gamma) * (size * smaller(p[i - 1], p[i + 1])) > pressure_jump;
  if (!any(large & contact)) return none;
  const V below = bend_of_density(rows, i - 1), above = bend_of_density(rows, i + 1);
  const auto turns = below * above < none;
  const auto found = large & contact & turns;
  const V low = 0.5 * (width[i - 1] + width[i]), high = 0.5 * (width[i] + width[i + 1]);
  const V cubes = low * square(low) + high * square(high);
  const V safe_jump = found ? jump : none + 1.0;
  const V sharpness = ((below - above) * cubes) / ((low + high) * safe_jump);
  const V share = smaller(larger(20.0 * (sharpness - 0.05), none), none + 1.0);
  return found ? share : none;
}

// Takes the edges of the density in zone i from its neighbours' slopes.
template <class V>
PHASEWISE_HD void steepen(const PencilWork<V>& work, int i, V& left, V& right) {
  const V share = contact_share(work, i);
  if (!any(share > V{})) return;
  const V *a = work.rows.moved[field::density], *slope = work.rows.moved_slope[field::density];
  const V rest = 1.0 - share;
  left = left * rest + (2.0 * (a[i] - a[i - 1]) - slope[i - 1]) * share;
  right = right * rest + (2.0 * (a[i + 1] - a[i]) - slope[i + 1]) * share;
}

}  // namespace phasewise::hydro
