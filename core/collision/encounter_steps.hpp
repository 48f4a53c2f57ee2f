// The steps of an encounter for a block of particles: vectorised, but for the accesses to the mesh.
#pragma once

#include "collision/encounter.hpp"
#include "collision/passage.hpp"
#include "field/weights.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision::encounter_steps {

using field::between;
using field::Cic;
using field::Tsc;
using field::WindowFrame;

inline constexpr int block = parallel::block_size;

// Four doubles worked on together: neighbouring values of one mesh row.
using Quad = double __attribute__((vector_size(32)));

inline Quad load_quad(const double* p) {
  Quad value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}

// Two doubles: neighbouring nodes of one mesh row.
using Pair = double __attribute__((vector_size(16)));

inline Pair load_pair(const double* p) {
  Pair value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}

inline void store_pair(double* p, Pair value) { __builtin_memcpy(p, &value, sizeof value); }

inline Pair lower(Quad q) { return __builtin_shufflevector(q, q, 0, 1); }
inline Pair upper(Quad q) { return __builtin_shufflevector(q, q, 2, 3); }

// What one block of particles needs between the vectorised steps and the mesh accesses.
struct Workspace {
  alignas(64) double fx[block], fy[block], inside[block];
  alignas(64) double kick[2 * block];  // x and y of one particle side by side
  alignas(64) double energy[block], fraction[block], slope[block];
  alignas(64) double weight[9][block];
  alignas(64) int node[block];
};

template <class W>
double find_places(const beam::ParticleView& p, int n, double z_plane, const WindowFrame& frame_of,
                   Workspace& w) {
  const WindowFrame frame = frame_of;
  const double *x = p.x, *px = p.px, *y = p.y, *py = p.py, *z = p.z;
  double all_inside = 0.0;
#pragma omp simd reduction(+ : all_inside)
  for (int i = 0; i < n; ++i) {
    const double s = meeting_distance(z[i], z_plane);
    int node;
    double fx, fy, inside;
    W::place(x[i] + s * px[i], y[i] + s * py[i], frame, node, fx, fy, inside);
    w.fx[i] = fx;
    w.fy[i] = fy;
    w.inside[i] = inside;
    w.node[i] = node;
    all_inside += inside;
  }
  return all_inside;
}

template <class W, int planes>
void find_fractions(const beam::ParticleView& p, int n, const KickSource& kick, Workspace& w) {
  if constexpr (planes == 1) return;
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    const Between t = between_planes(p.z[i], kick.z_tail, kick.inverse_length);
    w.fraction[i] = t.fraction;
    w.slope[i] = t.slope;
  }
}

// Bilinear interpolation of node values: Ex and Ey at two neighbours in y are four doubles in a
// row.
template <int planes>
void gather(Cic, int n, const KickSource& kick, Workspace& w) {
  const double* nodes = kick.nodes;
  const int ny = kick.frame[0].ny;
  for (int i = 0; i < n; ++i) {
    const double fx = w.fx[i], fy = w.fy[i];
    if constexpr (planes == 1) {
      const double* at = nodes + 2 * w.node[i];
      const Quad low = load_quad(at), high = load_quad(at + 2 * ny);
      const Quad row = between(low, high, fx);
      store_pair(w.kick + 2 * i, between(lower(row), upper(row), fy));
    } else {
      const double* at = nodes + 4 * w.node[i];
      const Quad q00 = load_quad(at), q01 = load_quad(at + 4);
      const Quad q10 = load_quad(at + 4 * ny), q11 = load_quad(at + 4 * ny + 4);
      const Quad value = between(between(q00, q10, fx), between(q01, q11, fx), fy);
      store_pair(w.kick + 2 * i, lower(value) + w.fraction[i] * upper(value));
      const double* d = kick.difference + w.node[i];
      const double change = between(between(d[0], d[ny], fx), between(d[1], d[ny + 1], fx), fy);
      w.energy[i] = -change * w.slope[i];
    }
  }
}

template <int planes>
void gather(Tsc, int n, const KickSource& kick, Workspace& w) {
  for (int i = 0; i < n; ++i) {
    double ex, ey, change;
    field::read_quadratic<planes>(kick.nodes + planes * w.node[i], kick.frame[0].ny, w.fx[i],
                                  w.fy[i], w.fraction[i], ex, ey, change);
    w.kick[2 * i] = ex * kick.frame[0].inverse_hx;
    w.kick[2 * i + 1] = ey * kick.frame[0].inverse_hy;
    if constexpr (planes == 2) w.energy[i] = -change * w.slope[i];
  }
}

template <bool longitudinal>
void apply_kicks(const beam::ParticleView& p, int n, double z_other, const Workspace& w) {
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

}  // namespace phasewise::collision::encounter_steps
