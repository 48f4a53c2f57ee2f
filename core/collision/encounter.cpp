#include "collision/encounter.hpp"

#include <algorithm>

#include "collision/passage.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

using field::Cic;
using field::Place;
using field::Tsc;
using field::WindowFrame;

constexpr int block = parallel::block_size;

// Four doubles worked on together: neighbouring values of one mesh row.
using Quad = double __attribute__((vector_size(32)));

Quad load_quad(const double* p) {
  Quad value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}

// What one block of particles needs between the vectorised steps and the mesh accesses.
struct Workspace {
  alignas(64) double fx[block], fy[block], inside[block];
  alignas(64) double kx[block], ky[block], energy[block], fraction[block], slope[block];
  alignas(64) double weight[9][block];
  alignas(64) int node[block];
};

template <class W>
double find_places(const beam::ParticleView& p, int n, double z_plane, const WindowFrame& frame,
                   Workspace& w) {
  double inside = 0.0;
#pragma omp simd reduction(+ : inside)
  for (int i = 0; i < n; ++i) {
    const double s = meeting_distance(p.z[i], z_plane);
    const Place place = W::place(p.x[i] + s * p.px[i], p.y[i] + s * p.py[i], frame);
    w.fx[i] = place.fx;
    w.fy[i] = place.fy;
    w.inside[i] = place.inside;
    w.node[i] = place.node;
    inside += place.inside;
  }
  return inside;
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

// Bilinear reading of node values: Ex Ey at two neighbours in y are four doubles in a row.
template <int planes>
void gather(Cic, int n, const KickSource& kick, Workspace& w) {
  const double* nodes = kick.nodes;
  const int ny = kick.frame.ny;
  for (int i = 0; i < n; ++i) {
    const double fx = w.fx[i], fy = w.fy[i];
    if constexpr (planes == 1) {
      const double* at = nodes + 2 * w.node[i];
      const Quad low = load_quad(at), high = load_quad(at + 2 * ny);
      const Quad row = low + fx * (high - low);
      w.kx[i] = row[0] + fy * (row[2] - row[0]);
      w.ky[i] = row[1] + fy * (row[3] - row[1]);
    } else {
      const double* at = nodes + 4 * w.node[i];
      const Quad q00 = load_quad(at), q01 = load_quad(at + 4);
      const Quad q10 = load_quad(at + 4 * ny), q11 = load_quad(at + 4 * ny + 4);
      const Quad low = q00 + fx * (q10 - q00), high = q01 + fx * (q11 - q01);
      const Quad value = low + fy * (high - low);
      w.kx[i] = value[0] + w.fraction[i] * value[2];
      w.ky[i] = value[1] + w.fraction[i] * value[3];
      const double* d = kick.difference + w.node[i];
      const double d0 = d[0] + fx * (d[ny] - d[0]), d1 = d[1] + fx * (d[ny + 1] - d[1]);
      w.energy[i] = -(d0 + fy * (d1 - d0)) * w.slope[i];
    }
  }
}

// Gradient of the quadratic interpolation of the potential: the kick is that of one smooth potential, hence symplectic.
template <int planes>
void gather(Tsc, int n, const KickSource& kick, Workspace& w) {
  const int ny = kick.frame.ny;
  for (int i = 0; i < n; ++i) {
    double wx[3], wy[3], sx[3], sy[3];
    Tsc::weights(w.fx[i], wx);
    Tsc::weights(w.fy[i], wy);
    Tsc::slopes(w.fx[i], sx);
    Tsc::slopes(w.fy[i], sy);
    double ex = 0.0, ey = 0.0, difference = 0.0;
    for (int a = 0; a < 3; ++a) {
      const double* row = kick.nodes + planes * (w.node[i] + a * ny);
      double value = 0.0, slope = 0.0, change = 0.0;
      for (int b = 0; b < 3; ++b) {
        double u = row[planes * b];
        if constexpr (planes == 2) {
          change += wy[b] * row[2 * b + 1];
          u += w.fraction[i] * row[2 * b + 1];
        }
        value += wy[b] * u;
        slope += sy[b] * u;
      }
      ex -= sx[a] * value;
      ey -= wx[a] * slope;
      difference += wx[a] * change;
    }
    w.kx[i] = ex * kick.frame.inverse_hx;
    w.ky[i] = ey * kick.frame.inverse_hy;
    if constexpr (planes == 2) w.energy[i] = -difference * w.slope[i];
  }
}

// The kick of the few particles beyond the mesh: a line charge at the opposing slice's centre.
void kick_from_afar(const beam::ParticleView& p, int n, const KickSource& kick, Workspace& w) {
  for (int i = 0; i < n; ++i) {
    if (w.inside[i] != 0.0) continue;
    const double s = meeting_distance(p.z[i], kick.z_other);
    const double dx = p.x[i] + s * p.px[i] - kick.far_x, dy = p.y[i] + s * p.py[i] - kick.far_y;
    const double factor = kick.far_charge / (dx * dx + dy * dy);
    w.kx[i] = factor * dx;
    w.ky[i] = factor * dy;
    w.energy[i] = 0.0;
  }
}

template <class W, int planes>
void kick_block(const beam::ParticleView& p, int n, const KickSource& kick, Workspace& w) {
  const double inside = find_places<W>(p, n, kick.z_other, kick.frame, w);
  find_fractions<W, planes>(p, n, kick, w);
  gather<planes>(W{}, n, kick, w);
  if (inside != n) kick_from_afar(p, n, kick, w);
  const double coupling = kick.longitudinal_kick ? 0.25 : 0.0;
  const bool energy = planes == 2 && kick.longitudinal_kick;
  if (!energy) std::fill_n(w.energy, n, 0.0);
  if (kick.longitudinal_kick) {
#pragma omp simd
    for (int i = 0; i < n; ++i)
      kick_and_return(meeting_distance(p.z[i], kick.z_other), w.kx[i], w.ky[i], w.energy[i],
                      coupling, p.x[i], p.px[i], p.y[i], p.py[i], p.delta[i]);
  } else {
    double unused = 0.0;
#pragma omp simd private(unused)
    for (int i = 0; i < n; ++i)
      kick_and_return(meeting_distance(p.z[i], kick.z_other), w.kx[i], w.ky[i], 0.0, 0.0, p.x[i],
                      p.px[i], p.y[i], p.py[i], unused);
  }
}

template <class W>
std::int64_t deposit_block(const beam::ParticleView& p, int n, const ChargeTarget& target,
                           Workspace& w) {
  constexpr int width = W::width;
  std::int64_t outside = 0;
  for (int plane = 0; plane < target.planes; ++plane) {
    outside += n - static_cast<std::int64_t>(find_places<W>(p, n, target.z[plane], target.frame, w));
    const double magic = target.magic;
#pragma omp simd
    for (int i = 0; i < n; ++i) {
      double weight[width * width];
      W::charge({w.node[i], w.fx[i], w.fy[i], w.inside[i]}, magic, weight);
      for (int k = 0; k < width * width; ++k) w.weight[k][i] = weight[k];
    }
    double* charge = target.charge[plane];
    const int ny = target.frame.ny;
    for (int i = 0; i < n; ++i) {
      double* node = charge + w.node[i];
      for (int a = 0; a < width; ++a)
        for (int b = 0; b < width; ++b) node[a * ny + b] += w.weight[width * a + b][i];
    }
  }
  return outside;
}

template <class W, int planes>
std::int64_t encounter_of(const beam::ParticleView& particles, const KickSource* kick,
                          const ChargeTarget* deposit) {
  Workspace w;
  std::int64_t outside = 0;
  for (std::int64_t begin = 0; begin < particles.size; begin += block) {
    const int n = static_cast<int>(std::min<std::int64_t>(block, particles.size - begin));
    const beam::ParticleView p = particles.part(begin, n);
    if (kick != nullptr) kick_block<W, planes>(p, n, *kick, w);
    if (deposit != nullptr) outside += deposit_block<W>(p, n, *deposit, w);
  }
  return outside;
}

// Central differences inside the window, one-sided ones at its edges; E = -grad u.
double slope(const double* u, std::int64_t stride, int i, int n, double inverse_h) {
  if (i == 0) return (u[0] - u[stride]) * inverse_h;
  if (i == n - 1) return (u[-stride] - u[0]) * inverse_h;
  return 0.5 * (u[-stride] - u[stride]) * inverse_h;
}

void prepare_cic(int planes, const double* head, const double* tail, const field::Lattice& lattice,
                 double scale, double* nodes, double* difference, int begin, int end) {
  const int nx = lattice.nx, ny = lattice.ny;
  const double sx = scale / lattice.hx, sy = scale / lattice.hy;
  for (int i = begin; i < end; ++i) {
    const std::int64_t row = static_cast<std::int64_t>(i) * ny;
    const auto put = [&](int j) {
      const std::int64_t at = row + j;
      double* node = nodes + 2 * planes * at;
      node[0] = slope(tail + at, ny, i, nx, sx);
      node[1] = slope(tail + at, 1, j, ny, sy);
      if (planes == 1) return;
      node[2] = slope(head + at, ny, i, nx, sx) - node[0];
      node[3] = slope(head + at, 1, j, ny, sy) - node[1];
      difference[at] = scale * (head[at] - tail[at]);
    };
    for (int j = 0; j < ny; ++j) put(j);
  }
}

void prepare_tsc(int planes, const double* head, const double* tail, const field::Lattice& lattice,
                 double scale, double* nodes, int begin, int end) {
  const std::int64_t first = static_cast<std::int64_t>(begin) * lattice.ny;
  const std::int64_t last = static_cast<std::int64_t>(end) * lattice.ny;
  for (std::int64_t at = first; at < last; ++at) {
    nodes[planes * at] = scale * tail[at];
    if (planes == 2) nodes[2 * at + 1] = scale * (head[at] - tail[at]);
  }
}

}  // namespace

int values_per_node(Weighting weighting, int planes) {
  return weighting == Weighting::cic ? 2 * planes : planes;
}

std::int64_t encounter(Weighting weighting, const beam::ParticleView& particles,
                       const KickSource* kick, const ChargeTarget* deposit) {
  const int planes = kick != nullptr ? kick->planes : deposit->planes;
  if (weighting == Weighting::cic)
    return planes == 1 ? encounter_of<Cic, 1>(particles, kick, deposit)
                       : encounter_of<Cic, 2>(particles, kick, deposit);
  return planes == 1 ? encounter_of<Tsc, 1>(particles, kick, deposit)
                     : encounter_of<Tsc, 2>(particles, kick, deposit);
}

void prepare_nodes(Weighting weighting, int planes, const double* head, const double* tail,
                   const field::Lattice& lattice, double scale, double* nodes, double* difference,
                   int begin, int end) {
  if (weighting == Weighting::cic)
    prepare_cic(planes, head, tail, lattice, scale, nodes, difference, begin, end);
  else
    prepare_tsc(planes, head, tail, lattice, scale, nodes, begin, end);
}

}  // namespace phasewise::collision
