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
template <int Size, bool Centre, bool West>
PHASEWISE_HD Values<Size> applied_at(const StencilPlanes& a, const double* x, std::int64_t at) {
  const std::int64_t p = a.pitch;
  const double* west = West ? a.north_west : a.north_east;
  Values<Size> sum = load<Size>(x + at);
  if constexpr (Centre) sum *= load<Size>(a.centre + at);
  sum = fused(load<Size>(a.east + at), load<Size>(x + at + 1), sum);
  sum = fused(load<Size>(a.east + at - 1), load<Size>(x + at - 1), sum);
  sum = fused(load<Size>(a.north + at), load<Size>(x + at + p), sum);
  sum = fused(load<Size>(a.north + at - p), load<Size>(x + at - p), sum);
  sum = fused(load<Size>(a.north_east + at), load<Size>(x + at + p + 1), sum);
  sum = fused(load<Size>(a.north_east + at - p - 1), load<Size>(x + at - p - 1), sum);
  sum = fused(load<Size>(west + at - 1), load<Size>(x + at + p - 1), sum);
  return fused(load<Size>(west + at - p), load<Size>(x + at - p + 1), sum);
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
