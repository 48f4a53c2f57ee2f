#include "beam/profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "beam/streams.hpp"
#include "numerics/elementary.hpp"
#include "numerics/normal.hpp"
#include "numerics/sobol.hpp"

namespace phasewise::beam {
namespace {

using Numbers = std::array<double, 6>;

Numbers uniforms(const ProfileDescription& bunch, std::uint64_t seed, std::uint32_t id) {
  constexpr std::uint32_t beam = 1;
  if (bunch.quiet) return numerics::scrambled_sobol_point(id, seed, streams::quiet_start, beam);
  Numbers u{};
  for (std::uint32_t plane = 0; plane < 3; ++plane)
    numerics::uniform_pair(seed, id, 0, streams::initial_particle, draw_index(beam, 0, plane),
                           u[2 * plane], u[2 * plane + 1]);
  return u;
}

void turn(double radius, double angle, double& a, double& b) {
  double sine = 0.0, cosine = 0.0;
  numerics::sincos_turns(angle, sine, cosine);
  a = radius * cosine;
  b = radius * sine;
}

// Draws two normal deviates with an amplitude below `cut`.
void normal(double u0, double u1, double cut, double& a, double& b) {
  const double floor = cut > 0.0 ? std::exp(-0.5 * cut * cut) : 0.0;
  turn(std::sqrt(-2.0 * numerics::log_positive(floor + (1.0 - floor) * u0)), u1, a, b);
}

// Draws a point of a ball in three dimensions, each coordinate with rms 1: R² = 5.
void ball(double u0, double u1, double u2, double& a, double& b, double& c) {
  const double radius = std::sqrt(5.0) * std::cbrt(u0), height = 2.0 * u1 - 1.0;
  turn(radius * std::sqrt(1.0 - height * height), u2, a, b);
  c = radius * height;
}

// Draws x, px, y, py, z, delta with rms 1.
Numbers gaussian(const Numbers& u, double cut, bool coasting) {
  Numbers v{};
  for (int plane = 0; plane < 3; ++plane)
    normal(u[2 * plane], u[2 * plane + 1], coasting && plane == 2 ? 0.0 : cut, v[2 * plane],
           v[2 * plane + 1]);
  // The cumulative distribution function of a normal deviate is uniform in [0, 1].
  if (coasting) v[4] = std::sqrt(3.0) * (std::erfc(-std::sqrt(0.5) * v[4]) - 1.0);
  return v;
}

// Draws from a ball in six dimensions with R² = 8: two sorted uniform numbers divide [0, 1] in the
// same proportions as the squared radii of the three planes divide the whole squared radius.
Numbers waterbag(const Numbers& u) {
  Numbers v{};
  const double low = std::min(u[0], u[2]), high = std::max(u[0], u[2]);
  const double parts[3] = {low, high - low, 1.0 - high};
  const double squared = 8.0 * std::cbrt(u[4]);
  const double angles[3] = {u[1], u[3], u[5]};
  for (int plane = 0; plane < 3; ++plane)
    turn(std::sqrt(squared * parts[plane]), angles[plane], v[2 * plane], v[2 * plane + 1]);
  return v;
}

// Draws from the surface of a sphere in four dimensions with R² = 4.
Numbers kv(const Numbers& u) {
  Numbers v{};
  turn(2.0 * std::sqrt(u[0]), u[1], v[0], v[1]);
  turn(2.0 * std::sqrt(1.0 - u[0]), u[2], v[2], v[3]);
  v[4] = std::sqrt(3.0) * (2.0 * u[3] - 1.0);
  double spare = 0.0;
  normal(u[4], u[5], 0.0, v[5], spare);
  return v;
}

Numbers uniform(const Numbers& u) {
  Numbers v{};
  ball(u[0], u[1], u[2], v[0], v[2], v[4]);
  ball(u[3], u[4], u[5], v[1], v[3], v[5]);
  return v;
}

Numbers deviates(const ProfileDescription& bunch, const Numbers& u) {
  switch (bunch.profile) {
    case Profile::waterbag:
      return waterbag(u);
    case Profile::kv:
      return kv(u);
    case Profile::uniform:
      return uniform(u);
    case Profile::gaussian:
      break;
  }
  return gaussian(u, bunch.cut, bunch.coasting);
}

void place(const PlaneShape& shape, double u, double v, double delta, double& x, double& px) {
  const double divergence = shape.size > 0.0 ? shape.emittance / shape.size : 0.0;
  x = shape.size * u + shape.dispersion * delta;
  px = divergence * (v - shape.alpha * u) + shape.dispersion_slope * delta;
}

Coordinates place(const Square& columns, const Numbers& v) {
  Numbers u{};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k) u[i] += columns[i][k] * v[k];
  return {u[0], u[1], u[2], u[3], u[4], u[5]};
}

}  // namespace

void fill(ParticleView particles, const ProfileDescription& bunch, std::uint64_t seed) {
  const double* o = bunch.offset;
  for (std::int64_t i = 0; i < particles.size; ++i) {
    const Numbers v = deviates(bunch, uniforms(bunch, seed, particles.id[i]));
    Coordinates c{};
    c.delta = bunch.momentum_spread * v[5];
    place(bunch.x, v[0], v[1], c.delta, c.x, c.px);
    place(bunch.y, v[2], v[3], c.delta, c.y, c.py);
    c.z = bunch.bunch_length * v[4];
    if (bunch.columns) c = place(*bunch.columns, v);
    store(particles, i,
          {c.x + o[0], c.px + o[1], c.y + o[2], c.py + o[3], c.z + o[4], c.delta + o[5]});
  }
}

}  // namespace phasewise::beam
