#include "spacecharge/linear_force.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "numerics/carlson.hpp"

namespace phasewise::spacecharge {
namespace {

// <λ> σz/N of a bunch, over that of an ellipsoid, 3/(5√5).
double line_density(const beam::ProfileDescription& bunch) {
  using std::numbers::pi;
  const double ellipsoid = 3.0 / (5.0 * std::sqrt(5.0));
  if (bunch.coasting) return 1.0 / std::sqrt(12.0) / ellipsoid;
  switch (bunch.profile) {
    case beam::Profile::gaussian:
      return 0.5 / std::sqrt(pi) / ellipsoid;
    case beam::Profile::kv:
      return 1.0 / std::sqrt(12.0) / ellipsoid;
    case beam::Profile::waterbag:
      // λ ∝ (1 - z²/8σz²)^(5/2) gives the ratio of ∫(1 - t²)⁵ to (∫(1 - t²)^(5/2))², over √8.
      return 512.0 / 693.0 / std::pow(5.0 * pi / 16.0, 2) / std::sqrt(8.0) / ellipsoid;
    case beam::Profile::uniform:
      break;
  }
  return 1.0;
}

constexpr double edge2 = 5.0;  // (radius of a uniform sphere over its rms size)²
constexpr double flat2 = 4.0;  // the same across a beam that is uniform in z

// The force at these squares of distances, in rms sizes, over the linear one. A bunch much longer
// than wide has the field of its line density, over the mean one.
double form(const beam::ProfileDescription& bunch, bool is_long, double across2, double along2) {
  constexpr double least = 1e-6;
  const bool gaussian = bunch.profile == beam::Profile::gaussian;
  if (is_long) {
    const double r2 = std::fmax(across2, least);
    if (!gaussian) return r2 <= flat2 ? 1.0 : flat2 / r2;
    const double density = bunch.coasting ? 1.0 : std::numbers::sqrt2 * std::exp(-0.5 * along2);
    return flat2 * density * -std::expm1(-0.5 * r2) / r2;
  }
  const double r2 = std::fmax(across2 + along2, least), r = std::sqrt(r2);
  const double outside = edge2 * std::sqrt(edge2) / (r2 * r);
  if (!gaussian) return r2 <= edge2 ? 1.0 : outside;
  const double within = std::erf(r / std::numbers::sqrt2) -
                        std::sqrt(2.0 / std::numbers::pi) * r * std::exp(-0.5 * r2);
  return outside * within;
}

struct Ellipsoid {
  std::array<double, 3> mean{};
  Sizes sizes{};
};

Ellipsoid ellipsoid_of(const beam::ParticleView& p) {
  Ellipsoid ellipsoid;
  const auto count = static_cast<double>(p.size);
  for (std::int64_t i = 0; i < p.size; ++i) {
    ellipsoid.mean[0] += p.x[i] / count;
    ellipsoid.mean[1] += p.y[i] / count;
    ellipsoid.mean[2] += p.z[i] / count;
  }
  for (std::int64_t i = 0; i < p.size; ++i) {
    const double x = p.x[i] - ellipsoid.mean[0], y = p.y[i] - ellipsoid.mean[1];
    const double z = p.z[i] - ellipsoid.mean[2];
    ellipsoid.sizes.xx += x * x / count;
    ellipsoid.sizes.xy += x * y / count;
    ellipsoid.sizes.yy += y * y / count;
    ellipsoid.sizes.zz += z * z / count;
  }
  return ellipsoid;
}

}  // namespace

LinearKick LinearForce::kick(const Sizes& s) const {
  // In the principal axes.
  const double half = 0.5 * (s.xx - s.yy), mean = 0.5 * (s.xx + s.yy);
  const double spread = std::hypot(half, s.xy);
  const double c2 = spread > 0.0 ? half / spread : 1.0, s2 = spread > 0.0 ? s.xy / spread : 0.0;
  const double a2 = 5.0 * (mean + spread), b2 = 5.0 * std::fmax(mean - spread, 0.0);
  const double c = 5.0 * gamma2 * s.zz;
  const double k1 = across * factor * numerics::carlson_rd(b2, c, a2);
  const double k2 = across * factor * numerics::carlson_rd(a2, c, b2);
  return {0.5 * (k1 + k2) + 0.5 * (k1 - k2) * c2, 0.5 * (k1 - k2) * s2,
          0.5 * (k1 + k2) - 0.5 * (k1 - k2) * c2,
          along ? factor * gamma2 * numerics::carlson_rd(a2, b2, c) : 0.0};
}

void LinearForce::add(beam::Square& map, const Sizes& sizes) const {
  const LinearKick k = kick(sizes);
  for (int j = 0; j < 6; ++j) {
    const double x = map[0][j], y = map[2][j];
    map[1][j] += k.xx * x + k.xy * y;
    map[3][j] += k.xy * x + k.yy * y;
    map[5][j] += k.zz * map[4][j];
  }
}

LinearForce linear_force(const Description& description, bool along) {
  const double gamma = description.bunch.gamma();
  return {gamma * gamma,
          description.kick_factor() * static_cast<double>(description.bunch.macroparticles),
          line_density(description.profile), along};
}

void kick_by_sizes(const beam::ParticleView& p, const Description& description) {
  const Ellipsoid ellipsoid = ellipsoid_of(p);
  const Sizes& s = ellipsoid.sizes;
  if (!(s.xx > 0.0 && s.yy > 0.0 && s.zz > 0.0)) return;
  LinearForce force = linear_force(description, description.kind == Kind::box);
  constexpr double long_bunch = 3.0;  // times its width
  const bool is_long = description.kind == Kind::planes || description.period.has_value() ||
                       force.gamma2 * s.zz > long_bunch * long_bunch * std::fmax(s.xx, s.yy);
  if (!is_long) force.across = 1.0;
  const LinearKick k = force.kick(s);
  for (std::int64_t i = 0; i < p.size; ++i) {
    const double x = p.x[i] - ellipsoid.mean[0], y = p.y[i] - ellipsoid.mean[1];
    const double z = p.z[i] - ellipsoid.mean[2];
    const double f = form(description.profile, is_long, x * x / s.xx + y * y / s.yy, z * z / s.zz);
    p.px[i] += f * (k.xx * x + k.xy * y);
    p.py[i] += f * (k.xy * x + k.yy * y);
    p.delta[i] += f * k.zz * z;
  }
}

}  // namespace phasewise::spacecharge
