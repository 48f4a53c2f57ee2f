#include "collision/gpu/encounter.hpp"
#include "collision/passage.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision::gpu {
namespace {

using beam::ParticleView;
using collision::ChargeTarget;
using collision::KickSource;
using field::between;
using field::Cic;
using field::Tsc;

struct Kick {
  double x = 0.0, y = 0.0, energy = 0.0;
};

// Component c of the node values (width of them per node), bilinear.
__device__ double bilinear(const double* nodes, int width, int c, int ny, double fx, double fy) {
  const double* at = nodes + c;
  return between(between(at[0], at[width * ny], fx), between(at[width], at[width * (ny + 1)], fx),
                 fy);
}

template <int planes>
__device__ Kick read(Cic, const KickSource& kick, const double* nodes, int node, double fx,
                     double fy, const collision::Between& z) {
  const int ny = kick.frame[0].ny;
  const double* at = nodes + 2 * planes * node;
  Kick value{bilinear(at, 2 * planes, 0, ny, fx, fy), bilinear(at, 2 * planes, 1, ny, fx, fy), 0.0};
  if constexpr (planes == 2) {
    value.x += z.fraction * bilinear(at, 4, 2, ny, fx, fy);
    value.y += z.fraction * bilinear(at, 4, 3, ny, fx, fy);
    value.energy = -bilinear(kick.difference + node, 1, 0, ny, fx, fy) * z.slope;
  }
  return value;
}

template <int planes>
__device__ Kick read(Tsc, const KickSource& kick, const double* nodes, int node, double fx,
                     double fy, const collision::Between& z) {
  double ex, ey, change;
  field::read_quadratic<planes>(nodes + planes * node, kick.frame[0].ny, fx, fy, z.fraction, ex, ey,
                                change);
  return {ex, ey, -change * z.slope};
}

// Quadratic interpolation gives the kick in cells.
template <class W>
__device__ void scale_to_cells(const field::WindowFrame& frame, Kick& kick) {
  if constexpr (W::width == 2) return;
  kick.x *= frame.inverse_hx;
  kick.y *= frame.inverse_hy;
}

// What a particle at (x, y) meets on one of two planes whose meshes differ; its energy is u there.
template <class W>
__device__ Kick read_plane(const KickSource& kick, int plane, double x, double y) {
  const field::WindowFrame& frame = kick.frame[plane];
  int node;
  double fx, fy, inside;
  W::place(x, y, frame, node, fx, fy, inside);
  const bool well_inside = inside != 0.0;
  if (!well_inside) W::place(x, y, frame.whole(), node, fx, fy, inside);
  const std::int64_t nodes = static_cast<std::int64_t>(frame.nx) * frame.ny;
  const int values = W::width == 2 ? 2 : 1;
  Kick k = read<1>(W{}, kick, kick.nodes + plane * nodes * values, node, fx, fy, {0.0, 0.0});
  scale_to_cells<W>(frame, k);
  k.energy = kick.far.scale * W::value(kick.far.potential[plane] + node, frame.ny, fx, fy);
  if (!well_inside)
    collision::join_far_plane(frame, collision::far_gaussian(frame, kick.far, plane), inside, x, y,
                              k.x, k.y, k.energy);
  return k;
}

template <class W>
__device__ Kick read_apart(const KickSource& kick, double x, double y,
                           const collision::Between& z) {
  const Kick head = read_plane<W>(kick, 0, x, y), tail = read_plane<W>(kick, 1, x, y);
  return {between(tail.x, head.x, z.fraction), between(tail.y, head.y, z.fraction),
          -(head.energy - tail.energy) * z.slope};
}

template <class W, int planes>
__device__ Kick read_together(const KickSource& kick, double x, double y,
                              const collision::Between& z) {
  const field::WindowFrame& frame = kick.frame[0];
  int node;
  double fx, fy, inside;
  W::place(x, y, frame, node, fx, fy, inside);
  const bool well_inside = inside != 0.0;
  if (!well_inside) W::place(x, y, frame.whole(), node, fx, fy, inside);
  Kick k = read<planes>(W{}, kick, kick.nodes, node, fx, fy, z);
  scale_to_cells<W>(frame, k);
  if (!well_inside)
    collision::join_far_kick(frame, collision::far_field(kick.frame, planes, kick.far), planes,
                             kick.longitudinal_kick, inside, x, y, z, k.x, k.y, k.energy);
  return k;
}

template <class W, int planes>
__device__ void kick_particle(const ParticleView& p, std::int64_t i, const KickSource& kick) {
  const double s = collision::meeting_distance(p.z[i], kick.z_other);
  const double x = p.x[i] + s * p.px[i], y = p.y[i] + s * p.py[i];
  const collision::Between z =
      planes == 2 ? collision::between_planes(p.z[i], kick.z_tail, kick.inverse_length)
                  : collision::Between{0.0, 0.0};
  const Kick k =
      kick.apart ? read_apart<W>(kick, x, y, z) : read_together<W, planes>(kick, x, y, z);
  double delta = p.delta[i];
  collision::kick_and_return(s, k.x, k.y, k.energy, 0.25, p.x[i], p.px[i], p.y[i], p.py[i], delta);
  if (kick.longitudinal_kick) p.delta[i] = delta;
}

template <class W>
__device__ void deposit_particle(const ParticleView& p, std::int64_t i, const ChargeTarget& target,
                                 unsigned long long* outside) {
  for (int plane = 0; plane < target.planes; ++plane) {
    const double s = collision::meeting_distance(p.z[i], target.z[plane]);
    int node;
    double fx, fy, inside;
    W::place(p.x[i] + s * p.px[i], p.y[i] + s * p.py[i], target.frame[plane], node, fx, fy, inside);
    if (inside == 0.0) {
      atomicAdd(outside, 1ULL);
      continue;
    }
    double weight[W::width * W::width];
    if constexpr (W::width == 2)
      Cic::charge(fx, fy, inside, target.rounding_offset, weight[0], weight[1], weight[2],
                  weight[3]);
    else
      Tsc::charge(fx, fy, inside, target.rounding_offset, weight);
    for (int a = 0; a < W::width; ++a)
      for (int b = 0; b < W::width; ++b)
        atomicAdd(target.charge[plane] + node + a * target.frame[plane].ny + b,
                  weight[W::width * a + b]);
  }
}

template <class W, int planes>
void encounter_of(const ParticleView& particles, const KickSource* kick,
                  const ChargeTarget* deposit, unsigned long long* outside) {
  if (kick != nullptr) {
    const KickSource source = *kick;
    parallel::for_each_on_device(particles.size, [=] __device__(std::int64_t i) {
      kick_particle<W, planes>(particles, i, source);
    });
  }
  if (deposit != nullptr) {
    const ChargeTarget target = *deposit;
    parallel::for_each_on_device(particles.size, [=] __device__(std::int64_t i) {
      deposit_particle<W>(particles, i, target, outside);
    });
  }
}

}  // namespace

void encounter(collision::Weighting weighting, const ParticleView& particles,
               const KickSource* kick, const ChargeTarget* deposit, unsigned long long* outside) {
  const bool cic = weighting == collision::Weighting::cic;
  const int planes = kick != nullptr ? kick->planes : deposit->planes;
  const auto run = planes == 1 ? (cic ? encounter_of<Cic, 1> : encounter_of<Tsc, 1>)
                               : (cic ? encounter_of<Cic, 2> : encounter_of<Tsc, 2>);
  run(particles, kick, deposit, outside);
}

}  // namespace phasewise::collision::gpu
