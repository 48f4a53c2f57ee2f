#include "spacecharge/kernels.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "beam/sorting.hpp"
#include "exchange/share.hpp"
#include "field/box_field.hpp"
#include "parallel/loops.hpp"
#include "spacecharge/phases.hpp"

namespace phasewise::spacecharge {
namespace {

// Whether it is less work to compute the differences once for all nodes than for each particle.
// nodes_each is the number of mesh nodes per particle.
bool differences_pay(double nodes_each) { return nodes_each <= 1.0; }

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int block = parallel::block_size;

// NaN, as a lost particle has, does not change a bound. Six bounds are computed at once, since each
// waits for its last value.
void widen(const beam::ParticleView& p, Extent& extent) {
  double low_x = extent.low[0], low_y = extent.low[1], low_z = extent.low[2];
  double high_x = extent.high[0], high_y = extent.high[1], high_z = extent.high[2];
#pragma omp simd reduction(min : low_x, low_y, low_z) reduction(max : high_x, high_y, high_z)
  for (std::int64_t i = 0; i < p.size; ++i) {
    low_x = p.x[i] < low_x ? p.x[i] : low_x;
    low_y = p.y[i] < low_y ? p.y[i] : low_y;
    low_z = p.z[i] < low_z ? p.z[i] : low_z;
    high_x = p.x[i] > high_x ? p.x[i] : high_x;
    high_y = p.y[i] > high_y ? p.y[i] : high_y;
    high_z = p.z[i] > high_z ? p.z[i] : high_z;
  }
  extent = {{low_x, low_y, low_z}, {high_x, high_y, high_z}};
}

// The weights of a block's particles, node by node in the order (z, x, y) = 000, 001, …, 111.
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
    const field::BoxCharge w = field::box_charge(place, offset);
    weights.node[i] = place.node;
    weights.of[0][i] = w.lower.w00;
    weights.of[1][i] = w.lower.w01;
    weights.of[2][i] = w.lower.w10;
    weights.of[3][i] = w.lower.w11;
    weights.of[4][i] = w.upper.w00;
    weights.of[5][i] = w.upper.w01;
    weights.of[6][i] = w.upper.w10;
    weights.of[7][i] = w.upper.w11;
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

// The places and fields of a block's particles.
struct Readings {
  std::int64_t node[block];
  double fx[block], fy[block], fz[block], inside[block];
  double ex[block], ey[block], ez[block];
};

void find_places(const beam::ParticleView& p, const field::BoxFrame& given, Readings& at) {
  const field::BoxFrame frame = given;
  const double* __restrict x = p.x;
  const double* __restrict y = p.y;
  const double* __restrict z = p.z;
  const int size = static_cast<int>(p.size);
#pragma omp simd
  for (int i = 0; i < size; ++i) {
    const field::BoxPlace place = frame.place(x[i], y[i], z[i]);
    at.node[i] = place.node;
    at.fx[i] = place.fx;
    at.fy[i] = place.fy;
    at.fz[i] = place.fz;
    at.inside[i] = place.inside;
  }
}

void apply(const Readings& at, const field::BoxFrame& frame, double factor, double along,
           const beam::ParticleView& p) {
  const double along_x = factor * frame.inverse_hx, along_y = factor * frame.inverse_hy;
  const double along_z = along * frame.inverse_hz;
  double* __restrict px = p.px;
  double* __restrict py = p.py;
  double* __restrict delta = p.delta;
  const int size = static_cast<int>(p.size);
#pragma omp simd
  for (int i = 0; i < size; ++i) {
    px[i] += along_x * at.ex[i];
    py[i] += along_y * at.ey[i];
    delta[i] += along_z * at.ez[i];
  }
}

// `read` gives the field at a place.
template <class Read>
void kick_blocks(const beam::ParticleView& particles, const field::BoxMesh& mesh, double factor,
                 double along, int threads, Read&& read) {
  const field::BoxFrame frame(mesh);
  parallel::for_blocks(particles.size, threads, [&](std::int64_t begin, int size, int) {
    Readings at;
    const beam::ParticleView p = particles.part(begin, size);
    find_places(p, frame, at);
    for (int i = 0; i < size; ++i) {
      const field::BoxField e =
          read(field::BoxPlace{at.node[i], at.fx[i], at.fy[i], at.fz[i], at.inside[i]});
      at.ex[i] = e.ex;
      at.ey[i] = e.ey;
      at.ez[i] = e.ez;
    }
    apply(at, frame, factor, along, p);
  });
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
    const auto [begin, end] = exchange::share(particles.size, threads, task);
    widen(particles.part(begin, end - begin), parts[task]);
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
    const auto [begin, end] = exchange::share(particles.size, threads, task);
    double* target = task == 0 ? charge : others_.data() + (task - 1) * nodes;
    outside[task] = deposit(particles.part(begin, end - begin), mesh, quantum, target);
  });
  if (threads > 1)
    parallel::for_tasks(threads, threads, [&](int task, int) {
      const auto [begin, end] = exchange::share(nodes, threads, task);
      for (int other = 0; other < threads - 1; ++other)
        for (std::int64_t i = begin; i < end; ++i) charge[i] += others_[other * nodes + i];
    });
  std::int64_t all = 0;
  for (const std::int64_t part : outside) all += part;
  return all;
}

void KickCic::run(const beam::ParticleView& particles, const field::BoxMesh& mesh,
                  const double* potential, double factor, double along, int threads) {
  const int nx = mesh.n[0], ny = mesh.n[1];
  if (!differences_pay(static_cast<double>(mesh.nodes()) / static_cast<double>(particles.size))) {
    kick_blocks(particles, mesh, factor, along, threads, [=](const field::BoxPlace& place) {
      return field::box_field(potential, nx, ny, place);
    });
    return;
  }
  differences_.reserve(4 * mesh.nodes());
  parallel::for_tasks(mesh.n[2] - 2, threads, [&](int task, int) {
    const int k = task + 1;
    field::difference_plane(potential, mesh, k, differences_.data() + 4 * k * mesh.plane());
  });
  const double* differences = differences_.data();
  kick_blocks(particles, mesh, factor, along, threads, [=](const field::BoxPlace& place) {
    return field::box_field_of_differences(differences, nx, ny, place);
  });
}

void PlaneSort::run(beam::Particles& particles, int bins, int threads) {
  const beam::ParticleView all = particles.view();
  const Extent extent = extent_of(all, threads);
  const double low = extent.low[2], high = extent.high[2];
  if (!(high > low)) return;
  bin_of_.reserve(all.size);
  const double per_metre = bins / (high - low), last = bins - 1.0;
  parallel::for_blocks(all.size, threads, [&, low](std::int64_t begin, int size, int) {
    const double* __restrict z = all.z + begin;
    std::uint16_t* __restrict bin = bin_of_.data() + begin;
    for (int i = 0; i < size; ++i)
      bin[i] = static_cast<std::uint16_t>(field::held_between((z[i] - low) * per_metre, 0.0, last));
  });
  beam::sort_into_bins(particles, bin_of_.data(), bins, threads);
}

parallel::KernelCard extent_card() {
  return {.name = phases::extent, .flops = 6.0, .bytes = 24.0, .vectorised = true};
}

parallel::KernelCard sort_card() {
  return {.name = phases::sort,
          .flops = 4.0,
          .bytes = 8.0 + 6.0 + 104.0,  // z; its plane, written and read twice; 52 read and written
          .vectorised = false,
          .touched = 106.0};
}

// Particles are sorted along z, so that each node moves to and from memory about once.
parallel::KernelCard deposit_card(double nodes_each) {
  return {.name = phases::charge_local,
          .flops = 60.0,                      // 22 for the place, 30 for the weights, 8 additions
          .bytes = 24.0 + 24.0 * nodes_each,  // set to zero, read and written
          .vectorised = false,                // the additions take most of the time
          .touched = 24.0 + 8.0 * nodes_each};
}

parallel::KernelCard kick_card(double nodes_each) {
  // 22 flops for the place and 6 for the kick; positions are read, momenta read and written.
  constexpr double flops = 28.0, bytes = 72.0, touched = 48.0;
  // Three differences at each node, which is read; four values are written and read again. Then
  // seven interpolations of four values, with three operations each.
  if (differences_pay(nodes_each))
    return {.name = phases::kick,
            .flops = flops + 3.0 * nodes_each + 84.0,
            .bytes = bytes + 72.0 * nodes_each,
            .vectorised = true,
            .touched = touched + 40.0 * nodes_each,
            .trip = block};
  // Twelve differences; nine interpolations of four values and three of one.
  return {.name = phases::kick,
          .flops = flops + 48.0 + 117.0,
          .bytes = bytes + 8.0 * nodes_each,
          .vectorised = true,
          .touched = touched + 8.0 * nodes_each,
          .trip = block};
}

}  // namespace phasewise::spacecharge
