// The Green function of a box that is open in x and y and periodic along z: 1/r summed over all
// periods, in which a constant that grows with their number, and has no field, is left out.
//
// The nearest periods, n = -N … N of length L, are summed as they are, averaged over cells or at
// their centres like the open box's. The others are smooth over a period: with g(a) = 1/√(ρ² + a²)
// and a = (N + 1/2)L ± z, the rule of the midpoint with its corrections (Euler, Maclaurin) says
//   Σ g(nL ± z), n > N,  =  ∫ₐ g da'/L + L g'(a)/24 - 7 L³ g'''(a)/5760 + …,
// where the integral is -ln((a + r)/L)/L, r = √(ρ² + a²), but for that constant.
// The mean over a period is -(2/L) ln(ρ/L): what is left at k = 0 of the spectrum along z, in which
// all other terms, (2/L) K₀(|k|ρ), fall off exponentially across the beam.
#pragma once

#include <array>
#include <vector>

#include "field/box_green.hpp"

namespace phasewise::field {

// Periods on each side that are summed as they are. The first term left out is 31 L⁵ gᵛ/967680,
// 2e-6/L on each side.
inline constexpr int periodic_green_images = 3;
// Planes of the open Green function that one plane takes.
inline constexpr double periodic_green_copies = 2.0 * periodic_green_images + 1.0;

// Planes at the distances [first, first + count) cells along z, each [size[0]][size[1]] values
// [1/m]; h: cells [m], of which size[2] along z make a period. Each plane has the same bits
// whatever range it is asked for in.
std::vector<double> periodic_green_planes(BoxGreen kind, const std::array<double, 3>& h,
                                          const std::array<int, 3>& size, int first, int count);

}  // namespace phasewise::field
