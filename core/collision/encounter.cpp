#include "collision/encounter.hpp"

#include <algorithm>
#include <optional>

#include "collision/passage.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

using field::between;
using field::Cic;
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

// Two doubles: neighbouring nodes of one mesh row.
using Pair = double __attribute__((vector_size(16)));

Pair load_pair(const double* p) {
  Pair value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}

void store_pair(double* p, Pair value) { __builtin_memcpy(p, &value, sizeof value); }

Pair lower(Quad q) { return __builtin_shufflevector(q, q, 0, 1); }
Pair upper(Quad q) { return __builtin_shufflevector(q, q, 2, 3); }

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
  const int ny = kick.frame.ny;
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
    field::read_quadratic<planes>(kick.nodes + planes * w.node[i], kick.frame.ny, w.fx[i], w.fy[i],
                                  w.fraction[i], ex, ey, change);
    w.kick[2 * i] = ex * kick.frame.inverse_hx;
    w.kick[2 * i + 1] = ey * kick.frame.inverse_hy;
    if constexpr (planes == 2) w.energy[i] = -change * w.slope[i];
  }
}

// The few particles in the rim of the mesh and beyond it. The field that they meet is made when the
// first of them comes.
void join_from_afar(const beam::ParticleView& p, int n, const KickSource& kick,
                    std::optional<FarField>& far, Workspace& w) {
  if (!far) far = far_field(kick.frame, kick.planes, kick.far);
  for (int i = 0; i < n; ++i) {
    const double s = meeting_distance(p.z[i], kick.z_other);
    const Between z = kick.planes == 2 ? Between{w.fraction[i], w.slope[i]} : Between{0.0, 0.0};
    join_far_kick(kick.frame, *far, kick.planes, kick.longitudinal_kick, w.inside[i],
                  p.x[i] + s * p.px[i], p.y[i] + s * p.py[i], z, w.kick[2 * i], w.kick[2 * i + 1],
                  w.energy[i]);
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

template <class W, int planes>
void kick_block(const beam::ParticleView& p, int n, const KickSource& kick,
                std::optional<FarField>& far, Workspace& w) {
  const bool all_well_inside = find_places<W>(p, n, kick.z_other, kick.frame, w) == n;
  if (!all_well_inside) find_places<W>(p, n, kick.z_other, kick.frame.whole(), w);
  find_fractions<W, planes>(p, n, kick, w);
  gather<planes>(W{}, n, kick, w);
  if (planes == 1) std::fill_n(w.energy, n, 0.0);
  if (!all_well_inside) join_from_afar(p, n, kick, far, w);
  if (kick.longitudinal_kick)
    apply_kicks<true>(p, n, kick.z_other, w);
  else
    apply_kicks<false>(p, n, kick.z_other, w);
}

void find_weights(Cic, int n, double rounding_offset, Workspace& w) {
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    double w00, w01, w10, w11;
    Cic::charge(w.fx[i], w.fy[i], w.inside[i], rounding_offset, w00, w01, w10, w11);
    w.weight[0][i] = w00;
    w.weight[1][i] = w01;
    w.weight[2][i] = w10;
    w.weight[3][i] = w11;
  }
}

void find_weights(Tsc, int n, double rounding_offset, Workspace& w) {
  for (int i = 0; i < n; ++i) {
    double weight[9];
    Tsc::charge(w.fx[i], w.fy[i], w.inside[i], rounding_offset, weight);
    for (int k = 0; k < 9; ++k) w.weight[k][i] = weight[k];
  }
}

template <class W>
std::int64_t deposit_block(const beam::ParticleView& p, int n, const ChargeTarget& target,
                           Workspace& w) {
  constexpr int width = W::width;
  std::int64_t outside = 0;
  for (int plane = 0; plane < target.planes; ++plane) {
    outside +=
        n - static_cast<std::int64_t>(find_places<W>(p, n, target.z[plane], target.frame, w));
    find_weights(W{}, n, target.rounding_offset, w);
    double* charge = target.charge[plane];
    const int ny = target.frame.ny;
    for (int i = 0; i < n; ++i) {
      double* node = charge + w.node[i];
      for (int a = 0; a < width; ++a, node += ny) {
        const auto* weight = w.weight + width * a;
        store_pair(node, load_pair(node) + Pair{weight[0][i], weight[1][i]});
        if constexpr (width == 3) node[2] += weight[2][i];
      }
    }
  }
  return outside;
}

template <class W, int planes>
std::int64_t encounter_of(const beam::ParticleView& particles, const KickSource* kick,
                          const ChargeTarget* deposit) {
  Workspace w;
  std::optional<FarField> far;
  std::int64_t outside = 0;
  for (std::int64_t begin = 0; begin < particles.size; begin += block) {
    const int n = static_cast<int>(std::min<std::int64_t>(block, particles.size - begin));
    const beam::ParticleView p = particles.part(begin, n);
    if (kick != nullptr) kick_block<W, planes>(p, n, *kick, far, w);
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

void prepare_cic(int planes, const double* head, const double* tail, const field::Mesh& mesh,
                 double scale, double* nodes, double* difference, int begin, int end) {
  const int nx = mesh.nx, ny = mesh.ny;
  const double sx = scale / mesh.hx, sy = scale / mesh.hy;
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

void prepare_tsc(int planes, const double* head, const double* tail, const field::Mesh& mesh,
                 double scale, double* nodes, int begin, int end) {
  const std::int64_t first = static_cast<std::int64_t>(begin) * mesh.ny;
  const std::int64_t last = static_cast<std::int64_t>(end) * mesh.ny;
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

parallel::KernelCard encounter_card(Weighting weighting, int planes) {
  return {.name = "encounter",
          .flops = 60.0 * planes,
          .bytes = 88.0,  // 48 read, 40 written; the mesh stays in the cache
          // Reading and writing the mesh particle by particle takes most of the time, except with
          // the smallest stencil.
          .vectorised = weighting == Weighting::cic && planes == 1};
}

void prepare_nodes(Weighting weighting, int planes, const double* head, const double* tail,
                   const field::Mesh& mesh, double scale, double* nodes, double* difference,
                   int begin, int end) {
  if (weighting == Weighting::cic)
    prepare_cic(planes, head, tail, mesh, scale, nodes, difference, begin, end);
  else
    prepare_tsc(planes, head, tail, mesh, scale, nodes, begin, end);
}

parallel::KernelCard nodes_card(Weighting weighting, int planes) {
  return {.name = "field",
          .flops = 6.0 * planes,
          .bytes = 8.0 * (planes + values_per_node(weighting, planes)),
          .vectorised = weighting == Weighting::tsc};  // a node's differences depend on the edges
}

parallel::KernelCard clear_card() {
  return {.name = "clear", .flops = 0.0, .bytes = 8.0, .vectorised = true};
}

}  // namespace phasewise::collision
