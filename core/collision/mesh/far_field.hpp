// The kick beyond the mesh, by a Gaussian with the charge, the centroid and the covariance of what
// is on the mesh. In the outermost cells the mesh's own kick passes over into it: there the kick is
// the mean of two gradients and of two differences of potential along z. It is therefore continuous
// everywhere, but in these cells a gradient only as far as both fields agree.
#pragma once

#include "collision/mesh/edge_moments.hpp"
#include "collision/mesh/weighting.hpp"
#include "collision/passage.hpp"
#include "field/gaussian_potential.hpp"
#include "field/mesh.hpp"
#include "field/rolled_gaussian.hpp"
#include "field/weights.hpp"
#include "parallel/macros.hpp"

namespace phasewise::collision {

// What the far field is made from, for the head and the tail plane, which are the same if there is
// only one.
struct FarSource {
  const double* potential[2] = {};  // on the nodes of the window
  bool enclosed = false;            // the window holds the slice that makes the potential
  GaussianCharge expected[2];       // that slice, as its beam's moments give it
  double scale = 0.0;               // factor from u to the kick's potential
  double smearing = 0.0;            // variance that the mesh adds to the charge, in h²
};

struct FarGaussian {
  double strength = 0.0;    // charge in units of the kick
  double x = 0.0, y = 0.0;  // m
  field::PrincipalAxes axes{1.0, 0.0, 1.0, 1.0};
};

struct FarField {
  FarGaussian head, tail;
};

struct FarKick {
  double x, y, energy;
};

// The number of cells along the edges of a mesh of n nodes in which the far field takes over. In
// the outermost one, where the mesh's differences are one-sided, it acts alone.
inline double rim_cells(int n) { return n >= 40 ? 5.0 : (n >= 16 ? n / 8 : 2); }

// The variance, in h², of a point charge on the mesh: that of the weights, plus h²/12 from the
// Green function's average over a cell.
inline double smearing_of(Weighting weighting) { return weights_spread(weighting) + 1.0 / 12.0; }

// `moments` are those of the plane's potential, and are used if the source is enclosed.
PHASEWISE_HD FarGaussian far_gaussian(const field::WindowFrame& frame, const FarSource& source,
                                      int plane, const EdgeMoments& moments) {
  const GaussianCharge& expected = source.expected[plane];
  const GaussianCharge c =
      source.enclosed ? enclosed_charge(frame, moments, expected, source.smearing) : expected;
  // A mesh resolves no size below its cells; the bound also avoids 1/0 for a slice without size.
  const double h = std::fmin(1.0 / frame.inverse_hx, 1.0 / frame.inverse_hy);
  const double least = 1e-4 * h * h;
  return {source.scale * c.charge, c.x, c.y, field::principal_axes(c.covariance, least, least)};
}

// `frame` gives the head and the tail plane, or the only plane twice; `moments` are those of each
// plane.
PHASEWISE_HD FarField far_field(const field::WindowFrame* frame, int planes,
                                const FarSource& source, const EdgeMoments* moments) {
  const FarGaussian head = far_gaussian(frame[0], source, 0, moments[0]);
  return {head, planes == 2 ? far_gaussian(frame[1], source, 1, moments[1]) : head};
}

// The kick's potential at (x, y).
PHASEWISE_HD double far_potential(const FarGaussian& g, double x, double y) {
  const double dx = x - g.x, dy = y - g.y, c = g.axes.cosine, s = g.axes.sine;
  return g.strength * field::gaussian_potential(c * dx + s * dy, c * dy - s * dx, g.axes.sigma_1,
                                                g.axes.sigma_2);
}

// The kick at (x, y) and the place z between the planes; `energy` is as in kick_and_return.
PHASEWISE_HD FarKick far_kick(const FarField& field, int planes, bool longitudinal, double x,
                              double y, const Between& z) {
  const FarGaussian &head = field.head, &tail = field.tail;
  const field::GaussianField t = field::rolled_gaussian_field(x - tail.x, y - tail.y, tail.axes);
  FarKick kick{tail.strength * t.ex, tail.strength * t.ey, 0.0};
  if (planes == 1) return kick;
  const field::GaussianField h = field::rolled_gaussian_field(x - head.x, y - head.y, head.axes);
  kick.x += z.fraction * (head.strength * h.ex - kick.x);
  kick.y += z.fraction * (head.strength * h.ey - kick.y);
  if (longitudinal && z.slope != 0.0)
    kick.energy = -z.slope * (far_potential(head, x, y) - far_potential(tail, x, y));
  return kick;
}

// How much of the rim's width lies between a place and the outermost cell, in one direction.
PHASEWISE_HD double rim_depth(double cells, int n, double rim) {
  if (rim <= 1.0) return 1.0;
  const double last = n - 1 - cells;
  return ((cells < last ? cells : last) - 1.0) / (rim - 1.0);
}

// The mesh's share in the kick: 1 inside the rim, 0 in the outermost cell, and in between it varies
// with a continuous slope. Without a rim it is 1 everywhere on the mesh.
PHASEWISE_HD double mesh_share(const field::WindowFrame& frame, double x, double y) {
  const double tx = rim_depth((x - frame.x0) * frame.inverse_hx, frame.nx, frame.rim_x);
  const double ty = rim_depth((y - frame.y0) * frame.inverse_hy, frame.ny, frame.rim_y);
  const double t = std::fmin(std::fmax(std::fmin(tx, ty), 0.0), 1.0);
  return t * t * (3.0 - 2.0 * t);
}

// Replaces the kick (kx, ky, energy) that the mesh gives a particle at (x, y) by the joint kick.
// `inside` is 1 on the mesh, else 0.
PHASEWISE_HD void join_far_kick(const field::WindowFrame& frame, const FarField& field, int planes,
                                bool longitudinal, double inside, double x, double y,
                                const Between& z, double& kx, double& ky, double& energy) {
  const double share = inside == 0.0 ? 0.0 : mesh_share(frame, x, y);
  if (share == 1.0) return;
  const FarKick far = far_kick(field, planes, longitudinal, x, y, z);
  kx = far.x + share * (kx - far.x);
  ky = far.y + share * (ky - far.y);
  energy = far.energy + share * (energy - far.energy);
}

// Does the same on one of two planes whose meshes differ, for the kick and potential u of this
// plane.
PHASEWISE_HD void join_far_plane(const field::WindowFrame& frame, const FarGaussian& g,
                                 double inside, double x, double y, double& kx, double& ky,
                                 double& u) {
  const double share = inside == 0.0 ? 0.0 : mesh_share(frame, x, y);
  if (share == 1.0) return;
  const field::GaussianField far = field::rolled_gaussian_field(x - g.x, y - g.y, g.axes);
  kx = field::between(g.strength * far.ex, kx, share);
  ky = field::between(g.strength * far.ey, ky, share);
  u = field::between(far_potential(g, x, y), u, share);
}

}  // namespace phasewise::collision
