// The study: shallow water on a rotating sphere, as the flat parameters describe it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sphere/manner.hpp"
#include "workload/parameters.hpp"

namespace phasewise::sphere {

// Test cases 1, 2, 5 and 6 of Williamson, Drake, Hack, Jakob, Swarztrauber, J. Comput. Phys. 102
// (1992) 211; the jet of Galewsky, Scott, Polvani, Tellus 56A (2004) 429; fields that Python sets.
enum class Case : std::uint8_t { bell, steady, mountain, wave, jet, file };

struct Description {
  explicit Description(const workload::Parameters& parameters);

  // Degrees of the coefficients end at the truncation M; products with cos φ need one more.
  int truncation, latitudes, longitudes, levels;
  int groups;  // of pairs of latitudes
  Case test;
  double timestep, radius, rotation, gravity;  // s, m, 1/s, m/s²
  bool semi_implicit;
  double filter;     // Asselin's coefficient
  double diffusion;  // m²/s or m⁴/s
  int diffusion_order;
  double angle;  // between the axis of the flow and that of the sphere [rad]
  std::vector<double> amplitudes;
  double mean_depth;  // m
  bool perturbed;
  bool table;                                   // whether Legendre functions are kept
  std::vector<std::array<double, 2>> stations;  // latitude, longitude [rad]
  Manner manner;

  int pairs() const { return latitudes / 2; }
  // A case with a known solution: its height is that of the start, moved in case `bell`.
  bool has_solution() const { return test == Case::bell || test == Case::steady; }
  // Whether the flow is given, and the height alone is advanced.
  bool advects() const { return test == Case::bell; }
  double laplacian(int l) const { return -l * (l + 1.0) / (radius * radius); }
};

}  // namespace phasewise::sphere
