// The Green function of a box that is open in x and y and periodic along z: 1/r summed over all
// periods, without a constant that grows with their number and has no field.
//
// The nearest periods, n = -N … N of length L, are summed directly, averaged over cells or at their
// centres like those of the open box. The others are smooth over a period: with g(a) = 1/√(ρ² + a²)
// and a = (N + 1/2)L ± z, the midpoint rule with its corrections (Euler, Maclaurin) gives
//   Σ g(nL ± z), n > N,  =  ∫ₐ g da'/L + L g'(a)/24 - 7 L³ g'''(a)/5760 + …,
// where the integral is -ln((a + r)/L)/L, r = √(ρ² + a²), up to that constant. The mean over a
// period is -(2/L) ln(ρ/L), the term of the spectrum along z with k = 0; all other terms, (2/L)
// K₀(|k|ρ), fall off exponentially across the beam.
#pragma once

#include <array>
#include <vector>

#include "field/box_green.hpp"

namespace phasewise::field {

// The number of periods on each side that are summed directly. The first term left out is 31 L⁵
// gᵛ/967680, 2e-6/L on each side.
inline constexpr int periodic_green_images = 3;
// The number of planes of the open Green function that one plane needs.
inline constexpr double periodic_green_copies = 2.0 * periodic_green_images + 1.0;

// The planes at distances of [first, first + count) cells along z, each with [size[0]][size[1]]
// values [1/m]. `h` is the cell [m], and size[2] cells along z make a period. Each plane has the
// same bits whatever range it is asked for in.
std::vector<double> periodic_green_planes(BoxGreen kind, const std::array<double, 3>& h,
                                          const std::array<int, 3>& size, int first, int count);

}  // namespace phasewise::field
