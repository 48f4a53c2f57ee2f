#include "beam/distribution.hpp"

#include <array>
#include <cmath>

#include "beam/streams.hpp"
#include "numerics/elementary.hpp"
#include "numerics/normal.hpp"
#include "numerics/sobol.hpp"

namespace phasewise::beam {

namespace {

using Uniforms = std::array<double, 6>;

Uniforms draw(const BunchDescription& bunch, std::uint64_t seed, std::uint32_t beam,
              std::uint32_t id) {
  if (bunch.distribution == Distribution::quiet) {
    return numerics::scrambled_sobol_point(id, seed, streams::quiet_start, beam);
  }
  Uniforms u{};
  for (std::uint32_t plane = 0; plane < 3; ++plane) {
    numerics::uniform_pair(seed, id, 0, streams::initial_particle, draw_index(beam, 0, plane),
                           u[2 * plane], u[2 * plane + 1]);
  }
  return u;
}

// P(amplitude > r) = exp(-r²/2). A cut keeps the values of it above exp(-cut²/2), one such floor
// for each plane.
using Floors = std::array<double, 3>;

Floors floors(const BunchDescription& bunch) {
  Floors result{};
  for (int plane = 0; plane < 3; ++plane) {
    const double cut = bunch.cut[plane];
    result[plane] = cut > 0.0 ? std::exp(-0.5 * cut * cut) : 0.0;
  }
  return result;
}

// Draws two deviates of one plane from its amplitude and its angle.
void plane_deviates(double u0, double u1, double floor, double& g0, double& g1) {
  double sine, cosine;
  numerics::sincos_turns(u1, sine, cosine);
  const double radius = std::sqrt(-2.0 * numerics::log_positive(floor + (1.0 - floor) * u0));
  g0 = radius * cosine;
  g1 = radius * sine;
}

Coordinates matched(const BunchDescription& bunch, const Uniforms& u, const Floors& floor) {
  Coordinates n{};
  plane_deviates(u[0], u[1], floor[0], n.x, n.px);
  plane_deviates(u[2], u[3], floor[1], n.y, n.py);
  plane_deviates(u[4], u[5], floor[2], n.z, n.delta);
  const double amplitude_x = std::sqrt(bunch.emittance_x);
  const double amplitude_y = std::sqrt(bunch.emittance_y);
  n.x *= amplitude_x;
  n.px *= amplitude_x;
  n.y *= amplitude_y;
  n.py *= amplitude_y;
  n.z *= bunch.bunch_length;
  n.delta *= bunch.momentum_spread;
  return denormalise(n, bunch.optics);
}

}  // namespace

void fill(ParticleView particles, const BunchDescription& bunch, std::uint64_t seed,
          std::uint32_t beam) {
  const Floors floor = floors(bunch);
  const double* m = bunch.mismatch;
  const double* o = bunch.offset;
  for (std::int64_t i = 0; i < particles.size; ++i) {
    Coordinates c{};
    if (bunch.distribution != Distribution::file) {
      c = matched(bunch, draw(bunch, seed, beam, particles.id[i]), floor);
    }
    particles.x[i] = c.x * m[0] + o[0];
    particles.px[i] = c.px * m[1] + o[1];
    particles.y[i] = c.y * m[2] + o[2];
    particles.py[i] = c.py * m[3] + o[3];
    particles.z[i] = c.z * m[4] + o[4];
    particles.delta[i] = c.delta * m[5] + o[5];
  }
}

}  // namespace phasewise::beam
