#include "collision/slice_moments.hpp"

#include <algorithm>
#include <cmath>

#include "collision/device_work.hpp"
#include "collision/waist.hpp"
#include "numerics/order_free_sum.hpp"
#include "parallel/lane_values.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

using numerics::OrderFreeSum;
using parallel::Lanes;
using parallel::lanes;

constexpr int terms = slice_terms;
constexpr int values = 2 * terms + 1;  // high and low parts of the terms, and the count

// Sums that many particles at a time add to.
struct LaneSums {
  Lanes high[terms]{}, low[terms]{};

  // Adds the particles from `begin` on, one in each lane.
  void add(const double* const (&column)[4], std::int64_t begin, const SliceSumming& how) {
    Lanes u[4];
    for (int c = 0; c < 4; ++c) {
      const Lanes bound = parallel::all_of<Lanes>(how.bound[c]);
      const Lanes value = parallel::loaded<Lanes>(column[c] + begin);
      u[c] = parallel::smaller(parallel::larger(value, -bound), bound);
    }
    each_slice_term([&](auto t, const auto& term) {
      const Lanes value = term([&u](int c) { return u[c]; });
      const Lanes high_offset = parallel::all_of<Lanes>(how.grid[t].high_offset);
      const Lanes low_offset = parallel::all_of<Lanes>(how.grid[t].low_offset);
      const Lanes upper = numerics::round_to_multiple(value, high_offset);
      high[t] += upper;
      low[t] += numerics::round_to_multiple(value - upper, low_offset);
    });
  }
  void add_to(std::array<OrderFreeSum, terms>& sums) const {
    for (int t = 0; t < terms; ++t)
      for (int lane = 0; lane < lanes; ++lane) {
        sums[t].high += high[t][lane];
        sums[t].low += low[t][lane];
      }
  }
};

// The lanes without a particle add zeros.
void sum_block(const beam::ParticleView& p, const SliceSumming& how,
               std::array<OrderFreeSum, terms>& sums) {
  const double* const column[4] = {p.x, p.px, p.y, p.py};
  LaneSums in_lanes;
  const std::int64_t whole = p.size / lanes * lanes;
  for (std::int64_t begin = 0; begin < whole; begin += lanes) in_lanes.add(column, begin, how);
  if (whole < p.size) {
    double rest[4][lanes] = {};
    for (int c = 0; c < 4; ++c) std::copy(column[c] + whole, column[c] + p.size, rest[c]);
    in_lanes.add({rest[0], rest[1], rest[2], rest[3]}, 0, how);
  }
  in_lanes.add_to(sums);
}

// Adds up the sums of all threads; `v` receives their high and low parts.
void add_up(const std::vector<std::array<OrderFreeSum, terms>>& sums, double* v) {
  for (const auto& part : sums)
    for (int t = 0; t < terms; ++t) {
      v[2 * t] += part[t].high;
      v[2 * t + 1] += part[t].low;
    }
}

// One item is a particle of a slice.
parallel::KernelCard slice_moments_card() {
  return {.name = "slice_moments",
          .flops = 8.0 + 10.0 + 7.0 * terms,  // 4 clamped, 10 products, 7 additions a term
          .bytes = 32.0,                      // read
          .vectorised = true};
}

// A slice with fewer particles gets its moments from those of the whole beam: its own mean would
// scatter by its size.
constexpr double fewest = 10.0;

GaussianSlice from_sums(const double* v, const CollidingBeam& beam, int s) {
  GaussianSlice slice;
  slice.z = beam.cuts.z[s];
  slice.count = v[2 * terms];
  if (slice.count == 0.0) return slice;
  if (slice.count < fewest) {
    GaussianSlice typical = typical_slice(beam, s);
    typical.count = slice.count;
    if (!beam.waists.empty()) put_waist_of_design(typical, beam.waists[s], beam.cuts.rms[s]);
    return typical;
  }
  double m[terms];
  for (int t = 0; t < terms; ++t) m[t] = (v[2 * t] + v[2 * t + 1]) / slice.count;
  slice.mean = {m[0], m[1], m[2], m[3]};
  slice.xx = {m[4] - m[0] * m[0], m[5] - m[0] * m[1], m[6] - m[1] * m[1]};
  slice.yy = {m[7] - m[2] * m[2], m[8] - m[2] * m[3], m[9] - m[3] * m[3]};
  slice.xy = {m[10] - m[0] * m[2], m[11] - m[0] * m[3], m[12] - m[1] * m[2], m[13] - m[1] * m[3]};
  if (!beam.waists.empty()) put_waist(slice, beam.waists[s], beam.cuts.rms[s]);
  return slice;
}

}  // namespace

SliceSumming::SliceSumming(const std::array<double, 4>& largest, std::int64_t count) {
  for (int c = 0; c < 4; ++c) bound[c] = largest[c];
  each_slice_term([&](auto t, const auto& term) {
    grid[t] = numerics::OrderFreeGrid(term([&](int c) { return bound[c]; }), count);
  });
}

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
      if (device_ != nullptr)
        device_->find_bounds(b, bounds);
      else
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
    listener.kernel(slice_moments_card(), beam.in_slice(s), [&] {
      const SliceSumming how(bounds_[b], static_cast<std::int64_t>(beam.macroparticles));
      const std::int64_t first = beam.begin[s], size = beam.begin[s + 1] - first;
      all[w * values + 2 * terms] = static_cast<double>(size);
      if (device_ != nullptr)
        return device_->sum_slice(b, first, size, how, all.data() + w * values);
      const beam::ParticleView slice = beam.particles->view().part(first, size);
      std::vector<std::array<OrderFreeSum, terms>> sums(threads_);
      parallel::for_blocks(slice.size, threads_, [&](std::int64_t begin, int count, int thread) {
        sum_block(slice.part(begin, count), how, sums[thread]);
      });
      add_up(sums, all.data() + w * values);
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
