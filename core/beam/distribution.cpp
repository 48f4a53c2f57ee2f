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

// The part of the bunch to which a particle belongs.
const BunchPart& part_of(const BunchDescription& bunch, std::uint64_t seed, std::uint32_t beam,
                         std::uint32_t id) {
  if (bunch.second_share == 0.0) return bunch.first;
  double place, unused;
  numerics::uniform_pair(seed, id, 0, streams::initial_particle, draw_index(beam, 0, 3), place,
                         unused);
  return place < bunch.second_share ? bunch.second : bunch.first;
}

// Draws two deviates of one plane from its amplitude and its angle.
void plane_deviates(double u0, double u1, const Amplitudes& amplitudes, double& g0, double& g1) {
  double sine, cosine;
  numerics::sincos_turns(u1, sine, cosine);
  const double radius = std::sqrt(amplitudes.square_of(u0));
  g0 = radius * cosine;
  g1 = radius * sine;
}

Coordinates mixed(const Coordinates& c, const Mixing& mixing) {
  const auto row = [&](int i) {
    const double(&m)[4] = mixing.rows[i];
    return (m[0] * c.x + m[1] * c.px) + (m[2] * c.y + m[3] * c.py);
  };
  return {row(0), row(1), row(2), row(3), c.z, c.delta};
}

Coordinates matched(const BunchDescription& bunch, const Uniforms& u, const BunchPart& part) {
  Coordinates n{};
  plane_deviates(u[0], u[1], part.amplitudes[0], n.x, n.px);
  plane_deviates(u[2], u[3], part.amplitudes[1], n.y, n.py);
  plane_deviates(u[4], u[5], part.amplitudes[2], n.z, n.delta);
  const double amplitude_x = std::sqrt(bunch.emittance_x) * part.scale[0];
  const double amplitude_y = std::sqrt(bunch.emittance_y) * part.scale[1];
  n.x *= amplitude_x;
  n.px *= amplitude_x;
  n.y *= amplitude_y;
  n.py *= amplitude_y;
  n.z *= bunch.bunch_length * part.scale[2];
  n.delta *= bunch.momentum_spread * part.scale[2];
  const Coordinates c = denormalise(n, bunch.optics);
  return bunch.mixing ? mixed(c, *bunch.mixing) : c;
}

}  // namespace

void fill(ParticleView particles, const BunchDescription& bunch, std::uint64_t seed,
          std::uint32_t beam) {
  const double* m = bunch.mismatch;
  const double* o = bunch.offset;
  for (std::int64_t i = 0; i < particles.size; ++i) {
    Coordinates c{};
    if (bunch.distribution != Distribution::file) {
      const std::uint32_t id = particles.id[i];
      c = matched(bunch, draw(bunch, seed, beam, id), part_of(bunch, seed, beam, id));
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
