#include "collision/encounter.hpp"

#include <algorithm>
#include <optional>

#include "collision/encounter_steps.hpp"
#include "collision/kick_nodes.hpp"

namespace phasewise::collision {
namespace {

using namespace encounter_steps;

template <class W>
constexpr Weighting weighting_of = W::width == 2 ? Weighting::cic : Weighting::tsc;

// Finds the places of a block, also in the rim of the mesh. True if none is there or beyond it.
template <class W>
bool place_all(const beam::ParticleView& p, int n, double z_plane, const WindowFrame& frame,
               Workspace& w) {
  if (find_places<W>(p, n, z_plane, frame, w) == n) return true;
  find_places<W>(p, n, z_plane, frame.whole(), w);
  return false;
}

// The few particles in the rim of the mesh and beyond it. The field that they meet is made when the
// first of them comes.
void join_from_afar(const beam::ParticleView& p, int n, const KickSource& kick,
                    std::optional<FarField>& far, Workspace& w) {
  if (!far) far = far_field(kick.frame, kick.planes, kick.far);
  for (int i = 0; i < n; ++i) {
    const double s = meeting_distance(p.z[i], kick.z_other);
    const Between z = kick.planes == 2 ? Between{w.fraction[i], w.slope[i]} : Between{0.0, 0.0};
    join_far_kick(kick.frame[0], *far, kick.planes, kick.longitudinal_kick, w.inside[i],
                  p.x[i] + s * p.px[i], p.y[i] + s * p.py[i], z, w.kick[2 * i], w.kick[2 * i + 1],
                  w.energy[i]);
  }
}

// Finds what a block meets on one plane (0: head, 1: tail): kicks and, as their energy, potentials.
template <class W>
void read_plane(const beam::ParticleView& p, int n, const KickSource& kick, int plane,
                std::optional<FarField>& far, Workspace& w) {
  const WindowFrame& frame = kick.frame[plane];
  const bool all_well_inside = place_all<W>(p, n, kick.z_other, frame, w);
  const std::int64_t plane_size = static_cast<std::int64_t>(frame.nx) * frame.ny;
  KickSource alone = kick;
  alone.frame[0] = frame;
  alone.nodes += plane * plane_size * values_per_node(weighting_of<W>, 1);
  gather<1>(W{}, n, alone, w);
  const double* u = kick.far.potential[plane];
  for (int i = 0; i < n; ++i)
    w.energy[i] = kick.far.scale * W::value(u + w.node[i], frame.ny, w.fx[i], w.fy[i]);
  if (all_well_inside) return;
  if (!far) far = far_field(kick.frame, 2, kick.far);
  for (int i = 0; i < n; ++i) {
    const double s = meeting_distance(p.z[i], kick.z_other);
    join_far_plane(frame, plane == 0 ? far->head : far->tail, w.inside[i], p.x[i] + s * p.px[i],
                   p.y[i] + s * p.py[i], w.kick[2 * i], w.kick[2 * i + 1], w.energy[i]);
  }
}

template <class W>
void read_planes_apart(const beam::ParticleView& p, int n, const KickSource& kick,
                       std::optional<FarField>& far, Workspace& w) {
  double tail_kick[2 * block], tail_u[block];
  read_plane<W>(p, n, kick, 1, far, w);
  std::copy_n(w.kick, 2 * n, tail_kick);
  std::copy_n(w.energy, n, tail_u);
  read_plane<W>(p, n, kick, 0, far, w);
  for (int i = 0; i < n; ++i) {
    for (const int at : {2 * i, 2 * i + 1})
      w.kick[at] = between(tail_kick[at], w.kick[at], w.fraction[i]);
    w.energy[i] = -(w.energy[i] - tail_u[i]) * w.slope[i];
  }
}

template <class W, int planes>
void read_planes_together(const beam::ParticleView& p, int n, const KickSource& kick,
                          std::optional<FarField>& far, Workspace& w) {
  const bool all_well_inside = place_all<W>(p, n, kick.z_other, kick.frame[0], w);
  gather<planes>(W{}, n, kick, w);
  if (planes == 1) std::fill_n(w.energy, n, 0.0);
  if (!all_well_inside) join_from_afar(p, n, kick, far, w);
}

template <class W, int planes>
void kick_block(const beam::ParticleView& p, int n, const KickSource& kick,
                std::optional<FarField>& far, Workspace& w) {
  find_fractions<W, planes>(p, n, kick, w);
  if (kick.apart)
    read_planes_apart<W>(p, n, kick, far, w);
  else
    read_planes_together<W, planes>(p, n, kick, far, w);
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
    outside += n - static_cast<std::int64_t>(
                       find_places<W>(p, n, target.z[plane], target.frame[plane], w));
    find_weights(W{}, n, target.rounding_offset, w);
    double* charge = target.charge[plane];
    const int ny = target.frame[plane].ny;
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

}  // namespace

std::int64_t encounter(Weighting weighting, const beam::ParticleView& particles,
                       const KickSource* kick, const ChargeTarget* deposit) {
  const int planes = kick != nullptr ? kick->planes : deposit->planes;
  if (weighting == Weighting::cic)
    return planes == 1 ? encounter_of<Cic, 1>(particles, kick, deposit)
                       : encounter_of<Cic, 2>(particles, kick, deposit);
  return planes == 1 ? encounter_of<Tsc, 1>(particles, kick, deposit)
                     : encounter_of<Tsc, 2>(particles, kick, deposit);
}

parallel::KernelCard encounter_card(Weighting weighting, int planes, double apart) {
  // Planes apart: a second place on a mesh, two potentials, and the mean of two kicks.
  constexpr double flops_apart = 45.0;
  return {.name = "encounter",
          .flops = 60.0 * planes + flops_apart * apart,
          .bytes = 88.0,  // 48 read, 40 written; the mesh stays in the cache
          // Reading and writing the mesh particle by particle takes most of the time, except with
          // the smallest stencil.
          .vectorised = weighting == Weighting::cic && planes == 1,
          .touched = 48.0,
          .trip = block};
}

parallel::KernelCard clear_card() {
  return {.name = "clear", .flops = 0.0, .bytes = 8.0, .vectorised = true};
}

}  // namespace phasewise::collision
