// The six coordinates of a macroparticle, and views of many of them as a structure of arrays.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "parallel/macros.hpp"

namespace phasewise::beam {

// x, y [m] transverse, the same axes for both beams; px = Px/P0, py = Py/P0; z [m] positive ahead
// of the reference particle of its own beam; delta = (P - P0)/P0. Value is double, or a Jet where a
// map's derivatives are wanted.
template <class Value>
struct CoordinatesOf {
  Value x, px, y, py, z, delta;
};
using Coordinates = CoordinatesOf<double>;

// A run of macroparticles; the arrays do not overlap.
struct ParticleView {
  double* x;
  double* px;
  double* y;
  double* py;
  double* z;
  double* delta;
  std::uint32_t* id;
  std::int64_t size;

  PHASEWISE_HD ParticleView part(std::int64_t begin, std::int64_t count) const {
    return {x + begin, px + begin,    y + begin,  py + begin,
            z + begin, delta + begin, id + begin, count};
  }
};

PHASEWISE_HD Coordinates load(const ParticleView& p, std::int64_t i) {
  return {p.x[i], p.px[i], p.y[i], p.py[i], p.z[i], p.delta[i]};
}

PHASEWISE_HD void store(const ParticleView& p, std::int64_t i, const Coordinates& c) {
  p.x[i] = c.x;
  p.px[i] = c.px;
  p.y[i] = c.y;
  p.py[i] = c.py;
  p.z[i] = c.z;
  p.delta[i] = c.delta;
}

// Returns false for a particle with a coordinate that is no longer a finite number.
PHASEWISE_HD bool is_finite(const Coordinates& c) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return (std::fabs(c.x) + std::fabs(c.px)) + (std::fabs(c.y) + std::fabs(c.py)) +
             (std::fabs(c.z) + std::fabs(c.delta)) <
         infinity;
}

PHASEWISE_HD Coordinates lost_particle() {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return {none, none, none, none, none, none};
}

// What an element may use besides the coordinates.
struct PushContext {
  std::uint64_t seed;
  std::uint64_t turn;
  std::uint32_t beam;  // 1 or 2
  std::uint32_t
      element;  // position in the beam's lines: two elements of a kind draw different numbers
  double centroid[6];  // mean of x px y py z delta over the whole beam, measured at the last
                       // interaction point
};

}  // namespace phasewise::beam
