#include "spacecharge/kernels.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "comm/share.hpp"
#include "parallel/loops.hpp"
#include "spacecharge/phases.hpp"

namespace phasewise::spacecharge {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int block = parallel::block_size;

// NaN, of a lost particle, is no bound.
void widen(const double* u, std::int64_t n, double& low, double& high) {
  double least = low, most = high;
#pragma omp simd reduction(min : least) reduction(max : most)
  for (std::int64_t i = 0; i < n; ++i) {
    least = u[i] < least ? u[i] : least;
    most = u[i] > most ? u[i] : most;
  }
  low = least;
  high = most;
}

// The weights of a block's particles, node by node.
struct Weights {
  std::int64_t node[block];
  double of[8][block];
};

std::int64_t weigh(const beam::ParticleView& p, const field::BoxFrame& given, double quantum,
                   Weights& weights) {
  const field::BoxFrame frame = given;
  const double offset = numerics::rounding_offset_for(quantum);
  const double* __restrict x = p.x;
  const double* __restrict y = p.y;
  const double* __restrict z = p.z;
  const int size = static_cast<int>(p.size);
  double inside = 0.0;
#pragma omp simd reduction(+ : inside)
  for (int i = 0; i < size; ++i) {
    const field::BoxPlace place = frame.place(x[i], y[i], z[i]);
    double w[8];
    field::box_charge(place, offset, w);
    weights.node[i] = place.node;
    for (int k = 0; k < 8; ++k) weights.of[k][i] = w[k];
    inside += place.inside;
  }
  return size - static_cast<std::int64_t>(inside);
}

void scatter(const Weights& weights, int size, std::int64_t plane, std::int64_t row,
             double* charge) {
  for (int i = 0; i < size; ++i) {
    double* at = charge + weights.node[i];
    for (int k = 0; k < 8; k += 2) {
      double* pair = at + (k / 4) * plane + (k / 2 % 2) * row;
      pair[0] += weights.of[k][i];
      pair[1] += weights.of[k + 1][i];
    }
  }
}

}  // namespace

std::int64_t deposit_cic(const beam::ParticleView& p, const field::BoxMesh& mesh, double quantum,
                         double* charge) {
  const field::BoxFrame frame(mesh);
  Weights weights;
  std::int64_t outside = 0;
  std::fill_n(charge, mesh.nodes(), 0.0);
  for (std::int64_t begin = 0; begin < p.size; begin += block) {
    const std::int64_t size = std::min<std::int64_t>(block, p.size - begin);
    outside += weigh(p.part(begin, size), frame, quantum, weights);
    scatter(weights, static_cast<int>(size), mesh.plane(), mesh.n[1], charge);
  }
  return outside;
}

Extent extent_of(const beam::ParticleView& particles, int threads) {
  std::vector<Extent> parts(threads,
                            {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}});
  parallel::for_tasks(threads, threads, [&](int task, int) {
    const auto [begin, end] = comm::share(particles.size, threads, task);
    const beam::ParticleView p = particles.part(begin, end - begin);
    const double* columns[3] = {p.x, p.y, p.z};
    for (int axis = 0; axis < 3; ++axis)
      widen(columns[axis], p.size, parts[task].low[axis], parts[task].high[axis]);
  });
  for (const Extent& part : parts)
    for (int axis = 0; axis < 3; ++axis) {
      parts[0].low[axis] = std::min(parts[0].low[axis], part.low[axis]);
      parts[0].high[axis] = std::max(parts[0].high[axis], part.high[axis]);
    }
  return parts[0];
}

std::int64_t ChargeDeposit::run(OfPart deposit, const beam::ParticleView& particles,
                                const field::BoxMesh& mesh, double quantum, double* charge,
                                int threads) {
  const std::int64_t nodes = mesh.nodes();
  others_.reserve((threads - 1) * nodes);
  std::vector<std::int64_t> outside(threads, 0);
  parallel::for_tasks(threads, threads, [&](int task, int) {
    const auto [begin, end] = comm::share(particles.size, threads, task);
    double* target = task == 0 ? charge : others_.data() + (task - 1) * nodes;
    outside[task] = deposit(particles.part(begin, end - begin), mesh, quantum, target);
  });
  if (threads > 1)
    parallel::for_tasks(threads, threads, [&](int task, int) {
      const auto [begin, end] = comm::share(nodes, threads, task);
      for (int other = 0; other < threads - 1; ++other)
        for (std::int64_t i = begin; i < end; ++i) charge[i] += others_[other * nodes + i];
    });
  std::int64_t all = 0;
  for (const std::int64_t part : outside) all += part;
  return all;
}

void kick_cic(const beam::ParticleView& particles, const field::BoxMesh& mesh,
              const double* potential, double factor, double along, int threads) {
  const field::BoxFrame frame(mesh);
  parallel::for_blocks(particles.size, threads, [&](std::int64_t begin, int size, int) {
    const beam::ParticleView p = particles.part(begin, size);
    for (int i = 0; i < size; ++i) {
      const field::BoxPlace place = frame.place(p.x[i], p.y[i], p.z[i]);
      const field::BoxField e = field::box_field(potential, frame.nx, frame.ny, place);
      p.px[i] += factor * frame.inverse_hx * e.ex;
      p.py[i] += factor * frame.inverse_hy * e.ey;
      p.delta[i] += along * frame.inverse_hz * e.ez;
    }
  });
}

parallel::KernelCard extent_card() {
  return {.name = phases::extent, .flops = 6.0, .bytes = 24.0, .vectorised = true};
}

parallel::KernelCard deposit_card(double nodes_each) {
  return {.name = phases::charge_local,
          .flops = 60.0,  // 22 for the place, 30 for the weights, 8 additions
          .bytes = 24.0 + 128.0 + 8.0 * nodes_each,  // 8 nodes are read and written
          .vectorised = false,                       // the additions take most of the time
          .touched = 24.0 + 8.0 * nodes_each};
}

parallel::KernelCard kick_card(double nodes_each) {
  return {.name = phases::kick,
          .flops = 130.0,         // 22 for the place, 100 for differences and interpolation
          .bytes = 72.0 + 256.0,  // 24 of the place, momenta read and written; 32 nodes
          .vectorised = true,     // over nodes
          .touched = 48.0 + 8.0 * nodes_each};
}

}  // namespace phasewise::spacecharge
