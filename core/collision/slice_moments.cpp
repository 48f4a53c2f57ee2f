#include "collision/slice_moments.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/order_free_sum.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

using numerics::OrderFreeGrid;
using numerics::OrderFreeSum;

constexpr int terms = 14;              // 4 means, 2 × 3 second moments, 4 between the planes
constexpr int values = 2 * terms + 1;  // high and low parts, and the count
constexpr int first_factor[terms] = {0, 1, 2, 3, 0, 0, 1, 2, 2, 3, 0, 0, 1, 1};
constexpr int second_factor[terms] = {-1, -1, -1, -1, 0, 1, 1, 2, 3, 3, 2, 3, 2, 3};

using Grids = std::array<OrderFreeGrid, terms>;

Grids grids(const std::array<double, 4>& bounds, double count) {
  Grids result;
  for (int t = 0; t < terms; ++t) {
    const double second = second_factor[t] < 0 ? 1.0 : bounds[second_factor[t]];
    result[t] = OrderFreeGrid(bounds[first_factor[t]] * second, static_cast<std::int64_t>(count));
  }
  return result;
}

void sum_block(const beam::ParticleView& p, const std::array<double, 4>& bounds, const Grids& grid,
               std::array<OrderFreeSum, terms>& sums) {
  double held[4][parallel::block_size];
  const double* column[4] = {p.x, p.px, p.y, p.py};
  for (int c = 0; c < 4; ++c)
    for (std::int64_t i = 0; i < p.size; ++i)
      held[c][i] = std::fmin(std::fmax(column[c][i], -bounds[c]), bounds[c]);
  for (int t = 0; t < terms; ++t) {
    const double* a = held[first_factor[t]];
    const double* b = second_factor[t] < 0 ? nullptr : held[second_factor[t]];
    for (std::int64_t i = 0; i < p.size; ++i)
      sums[t].add(b == nullptr ? a[i] : a[i] * b[i], grid[t]);
  }
}

// The sums of all threads; v: high and low parts.
void add_up(const std::vector<std::array<OrderFreeSum, terms>>& sums, double* v) {
  for (const auto& part : sums)
    for (int t = 0; t < terms; ++t) {
      v[2 * t] += part[t].high;
      v[2 * t + 1] += part[t].low;
    }
}

// One item: a particle of a slice.
parallel::KernelCard card() {
  return {.name = "slice_moments",
          .flops = 8.0 + 10.0 + 7.0 * terms,  // 4 clamped, 10 products, 7 additions a term
          .bytes = 32.0,                      // read
          .vectorised = false};               // one sum in order, term by term
}

// A slice with fewer particles gets its size from the whole beam's moments.
constexpr double fewest = 10.0;

GaussianSlice from_sums(const double* v, const CollidingBeam& beam, int s) {
  GaussianSlice slice;
  slice.z = beam.cuts.z[s];
  slice.count = v[2 * terms];
  if (slice.count == 0.0) return slice;
  double m[terms];
  for (int t = 0; t < terms; ++t) m[t] = (v[2 * t] + v[2 * t + 1]) / slice.count;
  slice.mean = {m[0], m[1], m[2], m[3]};
  slice.xx = {m[4] - m[0] * m[0], m[5] - m[0] * m[1], m[6] - m[1] * m[1]};
  slice.yy = {m[7] - m[2] * m[2], m[8] - m[2] * m[3], m[9] - m[3] * m[3]};
  slice.xy = {m[10] - m[0] * m[2], m[11] - m[0] * m[3], m[12] - m[1] * m[2], m[13] - m[1] * m[3]};
  if (slice.count < fewest) {
    const GaussianSlice typical = typical_slice(beam, s);
    slice.xx = typical.xx;
    slice.yy = typical.yy;
    slice.xy = typical.xy;
  }
  return slice;
}

}  // namespace

GaussianSlice typical_slice(const CollidingBeam& beam, int s) {
  const beam::Moments& m = beam.moments;
  const double zz = m.covariance[4][4], dz = beam.cuts.z[s] - m.mean[4];
  GaussianSlice slice;
  slice.z = beam.cuts.z[s];
  slice.count = beam.cuts.share[s] * beam.macroparticles;
  double slope[4];
  for (int c = 0; c < 4; ++c) {
    slope[c] = zz > 0.0 ? m.covariance[c][4] / zz : 0.0;
    slice.mean[c] = m.mean[c] + slope[c] * dz;
  }
  // Variance of z in the slice minus that in the beam.
  const double spread = beam.cuts.rms[s] * beam.cuts.rms[s] - zz;
  const auto left = [&](int a, int b) { return m.covariance[a][b] + slope[a] * slope[b] * spread; };
  slice.xx = {left(0, 0), left(0, 1), left(1, 1)};
  slice.yy = {left(2, 2), left(2, 3), left(3, 3)};
  slice.xy = {left(0, 2), left(0, 3), left(1, 2), left(1, 3)};
  return slice;
}

void SliceMoments::set_bounds(const std::array<CollidingBeam, 2>& beams, Listener& listener) {
  std::array<double, 8> largest{};
  for (int b = 0; b < 2; ++b) {
    if (beams[b].here == 0.0) continue;
    listener.kernel(beam::bounds_card(), beams[b].here, [&] {
      beam::Bounds bounds{};
      beam::update_bounds(beams[b].particles->view(), bounds);
      std::copy_n(bounds.begin(), 4, largest.begin() + 4 * b);
    });
  }
  listener.max("slice_moments", largest);
  for (int b = 0; b < 2; ++b)
    for (int c = 0; c < 4; ++c) bounds_[b][c] = 4.0 * largest[4 * b + c];
}

std::vector<GaussianSlice> SliceMoments::of(const std::array<CollidingBeam, 2>& beams,
                                            const std::vector<Which>& which,
                                            Listener& listener) const {
  std::vector<double> all(which.size() * values, 0.0);
  for (std::size_t w = 0; w < which.size(); ++w) {
    const int b = which[w].beam, s = which[w].slice;
    const CollidingBeam& beam = beams[b];
    if (beam.here == 0.0) continue;
    listener.kernel(card(), beam.in_slice(s), [&] {
      const beam::ParticleView slice =
          beam.particles->view().part(beam.begin[s], beam.begin[s + 1] - beam.begin[s]);
      const Grids grid = grids(bounds_[b], beam.macroparticles);
      std::vector<std::array<OrderFreeSum, terms>> sums(threads_);
      parallel::for_blocks(slice.size, threads_, [&](std::int64_t begin, int count, int thread) {
        sum_block(slice.part(begin, count), bounds_[b], grid, sums[thread]);
      });
      add_up(sums, all.data() + w * values);
      all[w * values + 2 * terms] = static_cast<double>(slice.size);
    });
  }
  listener.sum("slice_moments", all);
  if (contents_ == Contents::none) return std::vector<GaussianSlice>(which.size());
  std::vector<GaussianSlice> result;
  for (std::size_t w = 0; w < which.size(); ++w) {
    const CollidingBeam& beam = beams[which[w].beam];
    result.push_back(beam.strong ? beam.strong_slices[which[w].slice]
                                 : from_sums(all.data() + w * values, beam, which[w].slice));
  }
  return result;
}

std::vector<GaussianSlice> SliceMoments::of_all(const std::array<CollidingBeam, 2>& beams, int beam,
                                                int slices, Listener& listener) const {
  std::vector<Which> which(static_cast<std::size_t>(slices));
  for (int s = 0; s < slices; ++s) which[s] = {beam, s};
  return of(beams, which, listener);
}

}  // namespace phasewise::collision
