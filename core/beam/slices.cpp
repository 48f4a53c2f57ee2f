#include "beam/slices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "beam/sorting.hpp"
#include "parallel/loops.hpp"

namespace phasewise::beam {
namespace {

// Mean and rms of z, and the share of the charge, between two cuts. A bin that a cut divides counts
// in proportion on each side.
struct SliceStatistics {
  double count = 0.0, sum = 0.0, sum_of_squares = 0.0;
  void add(double z, double weight) {
    count += weight;
    sum += weight * z;
    sum_of_squares += weight * z * z;
  }
};

std::vector<double> equal_charge_cuts(const LongitudinalHistogram& histogram, int slices) {
  const auto& counts = histogram.counts();
  const double total =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  std::vector<double> cuts;
  double above = 0.0;
  for (int bin = LongitudinalHistogram::bins - 1; bin >= 0; --bin) {
    const double here = static_cast<double>(counts[bin]);
    while (std::ssize(cuts) < slices - 1) {
      const double wanted = total * (std::ssize(cuts) + 1.0) / slices;
      if (above + here < wanted) break;
      const double part = (wanted - above) / here;  // fraction of the bin, from its head
      cuts.push_back(histogram.high(bin) - part * (histogram.high(bin) - histogram.low(bin)));
    }
    above += here;
  }
  return cuts;
}

std::vector<double> equal_width_cuts(int slices, double mean, double rms, double extent) {
  std::vector<double> cuts;
  for (int s = 1; s < slices; ++s)
    cuts.push_back(mean + extent * rms * (1.0 - 2.0 * s / static_cast<double>(slices)));
  return cuts;
}

std::vector<SliceStatistics> statistics(const LongitudinalHistogram& histogram,
                                        const std::vector<double>& cuts) {
  std::vector<SliceStatistics> result(cuts.size() + 1);
  std::size_t s = 0;
  for (int bin = LongitudinalHistogram::bins - 1; bin >= 0; --bin) {
    const double count = static_cast<double>(histogram.counts()[bin]);
    double high = histogram.high(bin);
    const double low = histogram.low(bin), width = high - low;
    for (; s < cuts.size() && cuts[s] > low; ++s) {
      const double upper = std::min(high, cuts[s]);
      result[s].add(0.5 * (high + upper), count * (high - upper) / width);
      high = upper;
    }
    result[s].add(0.5 * (high + low), count * (high - low) / width);
  }
  return result;
}

std::vector<double> planes(const SliceCuts& cuts) {
  const int slices = cuts.slices();
  if (slices == 1) return {cuts.z[0] + cuts.rms[0], cuts.z[0] - cuts.rms[0]};
  std::vector<double> plane(slices + 1);
  std::copy(cuts.cut.begin(), cuts.cut.end(), plane.begin() + 1);
  plane[0] = std::max(2.0 * cuts.z[0] - cuts.cut[0], cuts.cut[0]);
  plane[slices] = std::min(2.0 * cuts.z[slices - 1] - cuts.cut[slices - 2], cuts.cut[slices - 2]);
  return plane;
}

}  // namespace

LongitudinalHistogram::LongitudinalHistogram(double largest)
    : first_key_(key_of(largest > 0.0 ? largest : 1.0) - (half - 1)), counts_(bins, 0) {
  if (first_key_ < 1) first_key_ = 1;
}

double LongitudinalHistogram::edge(int bin) const {
  const int steps = bin - half;  // bins from zero
  if (steps == 0) return 0.0;
  const std::int64_t key = first_key_ + (steps > 0 ? steps : -steps);
  const double magnitude = std::bit_cast<double>(key << 44);
  return steps > 0 ? magnitude : -magnitude;
}

void LongitudinalHistogram::add(const double* z, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) ++counts_[bin_of(z[i], first_key_)];
}

void LongitudinalHistogram::add(const LongitudinalHistogram& other) {
  for (int bin = 0; bin < bins; ++bin) counts_[bin] += other.counts_[bin];
}

SliceCuts cut_slices(const LongitudinalHistogram& histogram, Slicing rule, int slices, double mean,
                     double rms, double extent) {
  SliceCuts cuts;
  cuts.cut = rule == Slicing::equal_charge ? equal_charge_cuts(histogram, slices)
                                           : equal_width_cuts(slices, mean, rms, extent);
  const auto stats = statistics(histogram, cuts.cut);
  double total = 0.0;
  for (const auto& s : stats) total += s.count;
  for (int s = 0; s < slices; ++s) {
    // An empty slice is placed midway between its cuts, an empty outermost one at its only cut.
    const double high = s > 0 ? cuts.cut[s - 1] : (slices > 1 ? cuts.cut[0] : mean);
    const double low = s < slices - 1 ? cuts.cut[s] : high;
    const bool empty = stats[s].count <= 0.0;
    const double z = empty ? 0.5 * (high + low) : stats[s].sum / stats[s].count;
    const double variance = empty ? 0.0 : stats[s].sum_of_squares / stats[s].count - z * z;
    cuts.z.push_back(z);
    cuts.rms.push_back(std::sqrt(std::fmax(variance, 0.0)));
    cuts.share.push_back(stats[s].count / total);
  }
  cuts.plane = planes(cuts);
  return cuts;
}

int strips_for(double particles_of_slice) {
  constexpr double most = 16.0;     // of half the rms each
  constexpr double fewest = 256.0;  // particles of a strip
  return std::max(1, static_cast<int>(std::fmin(most, particles_of_slice / fewest)));
}

Strips strips_over(int count, double mean, double rms) {
  constexpr double reach = 4.0;
  if (count == 1) return {};
  return {count, mean - reach * rms, rms > 0.0 ? count / (2.0 * reach * rms) : 0.0};
}

std::vector<std::int64_t> sort_by_slice(Particles& particles, const SliceCuts& cuts,
                                        const Strips& strips,
                                        parallel::Buffer<std::uint16_t>& bin_of, int threads) {
  const ParticleView all = particles.view();
  const Strips along_x = strips;  // a copy, so that the compiler knows that no store changes it
  bin_of.reserve(all.size);
  parallel::for_blocks(all.size, threads, [&](std::int64_t begin, int size, int) {
    std::int32_t bin[parallel::block_size] = {};
    const double *z = all.z + begin, *x = all.x + begin;
    for (const double cut : cuts.cut) {
#pragma omp simd
      for (int i = 0; i < size; ++i) bin[i] += z[i] < cut ? along_x.count : 0;
    }
    if (along_x.count > 1) {
#pragma omp simd
      for (int i = 0; i < size; ++i) bin[i] += along_x.of(x[i]);
    }
    for (int i = 0; i < size; ++i) bin_of[begin + i] = static_cast<std::uint16_t>(bin[i]);
  });
  const std::vector<std::int64_t> begins =
      sort_into_bins(particles, bin_of.data(), cuts.slices() * strips.count, threads);
  std::vector<std::int64_t> result;
  for (int s = 0; s <= cuts.slices(); ++s) result.push_back(begins[s * strips.count]);
  return result;
}

parallel::KernelCard sort_card(int slices, int strips) {
  const bool by_strips = strips > 1;
  return {.name = "sort",
          .flops = slices + (by_strips ? 4.0 : 0.0),  // comparisons with the cuts; a strip
          // z, and x for a strip, read and the bin written; then 54 read and 52 written
          .bytes = (by_strips ? 18.0 : 10.0) + 106.0,
          .vectorised = false,  // the comparisons are, but the copying takes most of the time
          .touched = 106.0};
}

}  // namespace phasewise::beam
