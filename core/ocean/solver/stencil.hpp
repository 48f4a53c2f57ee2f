// The operator of nine points at a vector of cells.
#pragma once

#include <cstdint>

#include "ocean/solver/rows.hpp"

namespace phasewise::ocean {

// Planes of the scaled operator, with their ghosts. `centre` is null if it is 1 at all sea cells,
// and `north_west` if both diagonals of a corner are coupled alike.
struct StencilPlanes {
  const double *centre, *east, *north, *north_east, *north_west;
  std::int64_t pitch;
};

// A x at the cells from `at` on. Centre and West say whether these planes are used.
template <class V, bool Centre, bool West>
PHASEWISE_HD V applied_at(const StencilPlanes& a, const double* x, std::int64_t at) {
  const std::int64_t p = a.pitch;
  const double* west = West ? a.north_west : a.north_east;
  V sum = loaded<V>(x + at);
  if constexpr (Centre) sum *= loaded<V>(a.centre + at);
  sum = fused(loaded<V>(a.east + at), loaded<V>(x + at + 1), sum);
  sum = fused(loaded<V>(a.east + at - 1), loaded<V>(x + at - 1), sum);
  sum = fused(loaded<V>(a.north + at), loaded<V>(x + at + p), sum);
  sum = fused(loaded<V>(a.north + at - p), loaded<V>(x + at - p), sum);
  sum = fused(loaded<V>(a.north_east + at), loaded<V>(x + at + p + 1), sum);
  sum = fused(loaded<V>(a.north_east + at - p - 1), loaded<V>(x + at - p - 1), sum);
  sum = fused(loaded<V>(west + at - 1), loaded<V>(x + at + p - 1), sum);
  return fused(loaded<V>(west + at - p), loaded<V>(x + at - p + 1), sum);
}

// Calls f.operator()<Centre, West>() for a stencil.
template <class F>
auto with_stencil(const StencilPlanes& a, F&& f) {
  if (a.centre != nullptr)
    return a.north_west != nullptr ? f.template operator()<true, true>()
                                   : f.template operator()<true, false>();
  return a.north_west != nullptr ? f.template operator()<false, true>()
                                 : f.template operator()<false, false>();
}

}  // namespace phasewise::ocean
