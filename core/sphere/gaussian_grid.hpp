// The latitudes of a Gaussian grid: the zeros of the Legendre polynomial of their number, with the
// weights of Gauss's quadrature (Hale, Townsend, SIAM J. Sci. Comput. 35 (2013) A652).
#pragma once

#include <cmath>
#include <vector>

namespace phasewise::sphere {

// A pair of latitudes is φ and -φ. Pair 0 is nearest to the poles.
struct GaussianPairs {
  std::vector<double> sine;    // sin φ of the northern latitude
  std::vector<double> weight;  // of each latitude of the pair; all weights add up to 2
};

// cos² φ and cos φ from sin φ, without the loss of digits near the poles.
inline double cosine_squared(double sine) { return (1.0 - sine) * (1.0 + sine); }
inline double cosine_of(double sine) { return std::sqrt(cosine_squared(sine)); }

// Throws std::invalid_argument unless the number of latitudes is even and above 0.
GaussianPairs gaussian_pairs(int latitudes);

}  // namespace phasewise::sphere
