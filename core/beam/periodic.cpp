#include "beam/periodic.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "beam/normal_modes.hpp"
#include "numerics/constants.hpp"

namespace phasewise::beam {
namespace {

using numerics::two_pi;

using Rows = double[6][6];

struct Block {
  double a, b, c, d;  // rows (a b) (c d)
};

Block block_of(const Rows& r, int u) {
  return {r[u][u], r[u][u + 1], r[u + 1][u], r[u + 1][u + 1]};
}

double within_turn(double turns) { return turns - std::floor(turns); }

struct Plane {
  double beta, alpha, phase;
};

Plane periodic_plane(const Block& m, const char* name) {
  const double cosine = 0.5 * (m.a + m.d);
  if (!(std::fabs(cosine) < 1.0))
    throw std::invalid_argument("the lattice is unstable in " + std::string(name) +
                                ": half the trace of its matrix is " + std::to_string(cosine) +
                                ", and must lie between -1 and 1");
  // det = 1: sin² = -bc - (a - d)²/4 keeps its digits where cos is near 1.
  const double half = 0.5 * (m.a - m.d);
  const double sine = std::copysign(std::sqrt(std::fmax(0.0, -m.b * m.c - half * half)), m.b);
  return {m.b / sine, half / sine, within_turn(std::atan2(sine, cosine) / two_pi)};
}

// Solves (D, D') = M D + (e, f).
PlaneOptics with_dispersion(const Plane& plane, const Block& m, double e, double f) {
  const double determinant = (1.0 - m.a) * (1.0 - m.d) - m.b * m.c;
  return plane_optics(plane.beta, plane.alpha, ((1.0 - m.d) * e + m.b * f) / determinant,
                      (m.c * e + (1.0 - m.a) * f) / determinant);
}

// The optics of a plane after a map, and the phase advance.
PlaneOptics carried_plane(const PlaneOptics& o, const Rows& r, int u, double& phase) {
  const Block m = block_of(r, u);
  const double beta = o.sqrt_beta * o.sqrt_beta;
  const double along = m.a * beta - m.b * o.alpha;
  const double after = (along * along + m.b * m.b) / beta;
  const double gamma = (1.0 + o.alpha * o.alpha) / beta;
  const double alpha = -m.a * m.c * beta + (m.a * m.d + m.b * m.c) * o.alpha - m.b * m.d * gamma;
  phase = within_turn(std::atan2(m.b, along) / two_pi);
  return plane_optics(after, alpha, m.a * o.dispersion + m.b * o.dispersion_slope + r[u][5],
                      m.c * o.dispersion + m.d * o.dispersion_slope + r[u + 1][5]);
}

}  // namespace

bool couples(const SecondOrder& passage) {
  constexpr double rounding = 1e-9;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (i / 2 != j / 2 && std::fabs(passage.rows[i][j]) > rounding) return true;
  return false;
}

std::array<double, 6> periodic_dispersion(const SecondOrder& passage) {
  Square matrix{};
  std::array<double, 6> result{};
  for (int i = 0; i < 4; ++i) {
    result[i] = passage.rows[i][5];
    for (int j = 0; j < 4; ++j) matrix[i][j] = (i == j ? 1.0 : 0.0) - passage.rows[i][j];
  }
  if (!solve(matrix, result, 4))
    throw std::invalid_argument("the lattice has an integer tune, and so no dispersion");
  result[5] = 1.0;
  return result;
}

PeriodicOptics periodic_optics(const SecondOrder& passage) {
  const Rows& r = passage.rows;
  if (couples(passage))
    throw std::invalid_argument(
        "the lattice couples x and y, so that the planes have no optics of their own");
  PeriodicOptics result{};
  const Block mx = block_of(r, 0), my = block_of(r, 2), mz = block_of(r, 4);
  const Plane x = periodic_plane(mx, "x"), y = periodic_plane(my, "y");
  result.phase_x = x.phase;
  result.phase_y = y.phase;
  result.optics = {with_dispersion(x, mx, r[0][5], r[1][5]),
                   with_dispersion(y, my, r[2][5], r[3][5])};
  const PlaneOptics &ox = result.optics.x, &oy = result.optics.y;
  result.slip = r[4][5] + r[4][0] * ox.dispersion + r[4][1] * ox.dispersion_slope +
                r[4][2] * oy.dispersion + r[4][3] * oy.dispersion_slope;
  if (mz.c != 0.0) {
    periodic_plane(mz, "z");
    // With dispersion the block of z and δ is not that of a particle on its own orbit, so that the
    // normal modes are needed.
    const NormalMode z = normal_modes(square_of(r), 6).back();
    result.beta_z = z.a[4] * z.a[4] + z.b[4] * z.b[4];
  }
  return result;
}

CarriedOptics carried(const Optics& before, const SecondOrder& map) {
  CarriedOptics result{};
  result.optics.x = carried_plane(before.x, map.rows, 0, result.phase_x);
  result.optics.y = carried_plane(before.y, map.rows, 2, result.phase_y);
  return result;
}

}  // namespace phasewise::beam
