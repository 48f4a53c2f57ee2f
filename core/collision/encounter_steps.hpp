// The steps of an encounter for a block of particles. On a CPU they are vectorised, except for the
// accesses to the mesh; on a GPU a block is the one particle of a thread.
#pragma once

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "collision/encounter.hpp"
#include "collision/mesh/kick_nodes.hpp"
#include "collision/passage.hpp"
#include "field/weights.hpp"
#include "parallel/quad.hpp"

namespace phasewise::collision::encounter_steps {

using field::between;
using field::Cic;
using field::FusedCic;
using field::Tsc;
using field::WindowFrame;
using parallel::load_pair;
using parallel::load_quad;
using parallel::Pair;
using parallel::Quad;
using parallel::store_pair;

template <class W>
inline constexpr NodeValues values_of =
    std::is_same_v<W, Cic> ? NodeValues::field : NodeValues::potential;

// What one block of particles needs between the vectorised steps and the mesh accesses.
template <int block>
struct Workspace {
  alignas(block > 1 ? 64 : 8) double fx[block], fy[block], inside[block];
  alignas(block > 1 ? 64 : 8) double kick[2 * block];  // x and y of one particle side by side
  alignas(block > 1 ? 64 : 8) double energy[block], fraction[block], slope[block];
  alignas(block > 1 ? 64 : 8) double weight[9][block];
  alignas(block > 1 ? 64 : 8) int node[block];
};

template <class W, int block>
PHASEWISE_HD double find_places(const beam::ParticleView& p, int n, double z_plane,
                                const WindowFrame& frame_of, Workspace<block>& w) {
  const WindowFrame frame = frame_of;
  const double *x = p.x, *px = p.px, *y = p.y, *py = p.py, *z = p.z;
  double all_inside = 0.0;
#pragma omp simd reduction(+ : all_inside)
  for (int i = 0; i < n; ++i) {
    const double s = meeting_distance(z[i], z_plane);
    int node;
    double fx, fy, inside;
    W::place(W::plus(x[i], s, px[i]), W::plus(y[i], s, py[i]), frame, node, fx, fy, inside);
    w.fx[i] = fx;
    w.fy[i] = fy;
    w.inside[i] = inside;
    w.node[i] = node;
    all_inside += inside;
  }
  return all_inside;
}

template <class W, int planes, int block>
PHASEWISE_HD void find_fractions(const beam::ParticleView& p, int n, const KickSource& kick,
                                 Workspace<block>& w) {
  if constexpr (planes == 2) {
#pragma omp simd
    for (int i = 0; i < n; ++i) {
      const Between t = between_planes(p.z[i], kick.z_tail, kick.inverse_length);
      w.fraction[i] = t.fraction;
      w.slope[i] = t.slope;
    }
  }
}

// Interpolates node values bilinearly: Ex and Ey at two neighbours in y are four doubles in a row.
template <int planes, int block>
PHASEWISE_HD void gather(Cic, int n, const double* nodes, const double* difference,
                         const WindowFrame& frame, Workspace<block>& w) {
  const int ny = frame.ny;
  for (int i = 0; i < n; ++i) {
    const double fx = w.fx[i], fy = w.fy[i];
    if constexpr (planes == 1) {
      const double* at = nodes + 2 * w.node[i];
      const Quad low = load_quad(at), high = load_quad(at + 2 * ny);
      const Quad row = between(low, high, fx);
      store_pair(w.kick + 2 * i, between(parallel::lower(row), parallel::upper(row), fy));
    } else {
      const double* at = nodes + 4 * w.node[i];
      const Quad q00 = load_quad(at), q01 = load_quad(at + 4);
      const Quad q10 = load_quad(at + 4 * ny), q11 = load_quad(at + 4 * ny + 4);
      const Quad value = between(between(q00, q10, fx), between(q01, q11, fx), fy);
      const Pair tail = parallel::lower(value), change_of_kick = parallel::upper(value);
      store_pair(w.kick + 2 * i, Cic::plus(tail, w.fraction[i], change_of_kick));
      const double change = Cic::value(difference + w.node[i], ny, fx, fy);
      w.energy[i] = -change * w.slope[i];
    }
  }
}

// Interpolates the central differences of the potential, and with two planes the potential itself.
template <int planes, int block>
PHASEWISE_HD void gather(FusedCic, int n, const double* nodes, const double*,
                         const WindowFrame& frame, Workspace<block>& w) {
  const int row = planes * frame.ny;
  const double sx = 0.5 * frame.inverse_hx, sy = 0.5 * frame.inverse_hy;
  for (int i = 0; i < n; ++i) {
    const double fx = w.fx[i], fy = w.fy[i];
    const double* at = nodes + planes * w.node[i];
    if constexpr (planes == 1) {
      w.kick[2 * i] = sx * FusedCic::difference(at, row, row, fx, fy);
      w.kick[2 * i + 1] = sy * FusedCic::difference(at, 1, row, fx, fy);
    } else {
      // Values of the tail and differences to the head at two neighbours in y.
      const Quad low = load_quad(at), high = load_quad(at + row);
      const Quad x =
          FusedCic::between(load_quad(at - row) - high, low - load_quad(at + 2 * row), fx);
      const Quad y = FusedCic::between(load_quad(at - 2) - load_quad(at + 2),
                                       load_quad(at + row - 2) - load_quad(at + row + 2), fx);
      const Pair ex = FusedCic::between(parallel::lower(x), parallel::upper(x), fy);
      const Pair ey = FusedCic::between(parallel::lower(y), parallel::upper(y), fy);
      const Quad u = FusedCic::between(low, high, fx);
      const Pair potential = FusedCic::between(parallel::lower(u), parallel::upper(u), fy);
      w.kick[2 * i] = sx * FusedCic::plus(ex[0], w.fraction[i], ex[1]);
      w.kick[2 * i + 1] = sy * FusedCic::plus(ey[0], w.fraction[i], ey[1]);
      w.energy[i] = -potential[1] * w.slope[i];
    }
  }
}

template <int planes, int block>
PHASEWISE_HD void gather(Tsc, int n, const double* nodes, const double*, const WindowFrame& frame,
                         Workspace<block>& w) {
  for (int i = 0; i < n; ++i) {
    double ex, ey, change;
    field::read_quadratic<planes>(nodes + planes * w.node[i], frame.ny, w.fx[i], w.fy[i],
                                  w.fraction[i], ex, ey, change);
    w.kick[2 * i] = ex * frame.inverse_hx;
    w.kick[2 * i + 1] = ey * frame.inverse_hy;
    if constexpr (planes == 2) w.energy[i] = -change * w.slope[i];
  }
}

template <bool longitudinal, int block>
PHASEWISE_HD void apply_kicks(const beam::ParticleView& p, int n, double z_other,
                              const Workspace<block>& w) {
  double *x = p.x, *px = p.px, *y = p.y, *py = p.py, *delta = p.delta;
  const double* z = p.z;
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    double xi = x[i], pxi = px[i], yi = y[i], pyi = py[i], di = longitudinal ? delta[i] : 0.0;
    kick_and_return(meeting_distance(z[i], z_other), w.kick[2 * i], w.kick[2 * i + 1], w.energy[i],
                    0.25, xi, pxi, yi, pyi, di);
    x[i] = xi;
    px[i] = pxi;
    y[i] = yi;
    py[i] = pyi;
    if (longitudinal) delta[i] = di;
  }
}

// Stands for the far field where particles that need it are left to another pass.
struct Later {};

// Finds the places of a block, including those in the rim of the mesh. Returns true if no particle
// is in the rim or beyond the mesh. Differences of the potential need a node on each side: for them
// the outermost cell, where the far field acts alone, counts as outside.
template <class W, int block>
PHASEWISE_HD bool place_all(const beam::ParticleView& p, int n, double z_plane,
                            const WindowFrame& frame, Workspace<block>& w) {
  if (find_places<W, block>(p, n, z_plane, frame, w) == n) return true;
  const bool differences = std::is_same_v<W, FusedCic>;
  find_places<W, block>(p, n, z_plane, frame.with_rim(differences ? 1.0 : 0.0), w);
  return false;
}

// Replaces the kicks of the few particles in the rim of the mesh and beyond it. far(kick) gives the
// field that they meet.
template <int block, class Far>
PHASEWISE_HD void join_from_afar(const beam::ParticleView& p, int n, const KickSource& kick,
                                 Far& far, Workspace<block>& w) {
  for (int i = 0; i < n; ++i) {
    const double s = meeting_distance(p.z[i], kick.z_other);
    const Between z = kick.planes == 2 ? Between{w.fraction[i], w.slope[i]} : Between{0.0, 0.0};
    join_far_kick(kick.frame[0], far(kick), kick.planes, kick.longitudinal_kick, w.inside[i],
                  p.x[i] + s * p.px[i], p.y[i] + s * p.py[i], z, w.kick[2 * i], w.kick[2 * i + 1],
                  w.energy[i]);
  }
}

// Finds what a block meets on one plane (0: head, 1: tail): kicks and, as their energy, potentials.
// Returns false and finds nothing if the block is left for later.
template <class W, int block, class Far>
PHASEWISE_HD bool read_plane(const beam::ParticleView& p, int n, const KickSource& kick, int plane,
                             Far& far, Workspace<block>& w) {
  const WindowFrame& frame = kick.frame[plane];
  const bool all_well_inside = place_all<W, block>(p, n, kick.z_other, frame, w);
  if (std::is_same_v<Far, Later> && !all_well_inside) return false;
  const std::int64_t plane_size = static_cast<std::int64_t>(frame.nx) * frame.ny;
  gather<1, block>(W{}, n, kick.nodes + plane * plane_size * values_per_node(values_of<W>, 1),
                   nullptr, frame, w);
  const double* u = kick.far.potential[plane];
  for (int i = 0; i < n; ++i)
    w.energy[i] = kick.far.scale * W::value(u + w.node[i], frame.ny, w.fx[i], w.fy[i]);
  if constexpr (!std::is_same_v<Far, Later>) {
    if (all_well_inside) return true;
    for (int i = 0; i < n; ++i) {
      const double s = meeting_distance(p.z[i], kick.z_other);
      join_far_plane(frame, plane == 0 ? far(kick).head : far(kick).tail, w.inside[i],
                     p.x[i] + s * p.px[i], p.y[i] + s * p.py[i], w.kick[2 * i], w.kick[2 * i + 1],
                     w.energy[i]);
    }
  }
  return true;
}

template <class W, int block, class Far>
PHASEWISE_HD bool read_planes_apart(const beam::ParticleView& p, int n, const KickSource& kick,
                                    Far& far, Workspace<block>& w) {
  double tail_kick[2 * block], tail_u[block];
  if (!read_plane<W, block>(p, n, kick, 1, far, w)) return false;
  for (int i = 0; i < 2 * n; ++i) tail_kick[i] = w.kick[i];
  for (int i = 0; i < n; ++i) tail_u[i] = w.energy[i];
  if (!read_plane<W, block>(p, n, kick, 0, far, w)) return false;
  for (int i = 0; i < n; ++i) {
    for (const int at : {2 * i, 2 * i + 1})
      w.kick[at] = between(tail_kick[at], w.kick[at], w.fraction[i]);
    w.energy[i] = -(w.energy[i] - tail_u[i]) * w.slope[i];
  }
  return true;
}

template <class W, int planes, int block, class Far>
PHASEWISE_HD bool read_planes_together(const beam::ParticleView& p, int n, const KickSource& kick,
                                       Far& far, Workspace<block>& w) {
  const bool all_well_inside = place_all<W, block>(p, n, kick.z_other, kick.frame[0], w);
  if (std::is_same_v<Far, Later> && !all_well_inside) return false;
  gather<planes, block>(W{}, n, kick.nodes, kick.difference, kick.frame[0], w);
  if (planes == 1)
    for (int i = 0; i < n; ++i) w.energy[i] = 0.0;
  if constexpr (!std::is_same_v<Far, Later>)
    if (!all_well_inside) join_from_afar<block>(p, n, kick, far, w);
  return true;
}

// far(kick) gives the field beyond the mesh, and is called only if a particle is there. Returns
// false and does nothing if the block is left for later.
template <class W, int planes, int block, class Far>
PHASEWISE_HD bool kick_block(const beam::ParticleView& p, int n, const KickSource& kick, Far& far,
                             Workspace<block>& w) {
  find_fractions<W, planes, block>(p, n, kick, w);
  bool apart = false;
  if constexpr (planes == 2) {
    apart = kick.apart;
    if (apart && !read_planes_apart<W, block>(p, n, kick, far, w)) return false;
  }
  if (!apart && !read_planes_together<W, planes, block>(p, n, kick, far, w)) return false;
  if (kick.longitudinal_kick)
    apply_kicks<true, block>(p, n, kick.z_other, w);
  else
    apply_kicks<false, block>(p, n, kick.z_other, w);
  return true;
}

template <int block, std::derived_from<Cic> W>
PHASEWISE_HD void find_weights(W, int n, double rounding_offset, Workspace<block>& w) {
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    double w00, w01, w10, w11;
    W::charge(w.fx[i], w.fy[i], w.inside[i], rounding_offset, w00, w01, w10, w11);
    w.weight[0][i] = w00;
    w.weight[1][i] = w01;
    w.weight[2][i] = w10;
    w.weight[3][i] = w11;
  }
}

template <int block>
PHASEWISE_HD void find_weights(Tsc, int n, double rounding_offset, Workspace<block>& w) {
  for (int i = 0; i < n; ++i) {
    double weight[9];
    Tsc::charge(w.fx[i], w.fy[i], w.inside[i], rounding_offset, weight);
    for (int k = 0; k < 9; ++k) w.weight[k][i] = weight[k];
  }
}

// Deposits a block on the planes of the target; add(node, weights, stride, ny) adds a particle's
// weights to the mesh from its lowest node on. Returns the number of deposits outside the mesh.
template <class W, int block, class Add>
PHASEWISE_HD int deposit_block(const beam::ParticleView& p, int n, const ChargeTarget& target,
                               Workspace<block>& w, const Add& add) {
  int outside = 0;
  for (int plane = 0; plane < target.planes; ++plane) {
    const WindowFrame& frame = target.frame[plane];
    outside += n - static_cast<int>(find_places<W, block>(p, n, target.z[plane], frame, w));
    find_weights<block>(W{}, n, target.rounding_offset, w);
    for (int i = 0; i < n; ++i)
      add(target.charge[plane] + w.node[i], &w.weight[0][i], block, frame.ny);
  }
  return outside;
}

}  // namespace phasewise::collision::encounter_steps
