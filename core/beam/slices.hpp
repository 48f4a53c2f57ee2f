// Cutting a bunch along z into slices, numbered from the head, and sorting its particles by slice.
#pragma once

#include <cstdint>
#include <vector>

#include "beam/particles.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::beam {

enum class Slicing { equal_charge, equal_width };

// Counts of particles in equal bins of z over [-range, range]; integers, so that the sum over ranks
// is exact.
class LongitudinalHistogram {
 public:
  static constexpr int bins = 16384;
  explicit LongitudinalHistogram(double range);
  void add(const double* z, std::int64_t n);
  void add(const LongitudinalHistogram& other);
  std::vector<std::int64_t>& counts() { return counts_; }
  const std::vector<std::int64_t>& counts() const { return counts_; }
  double edge(double bin) const { return bin * width_ - range_; }
  double center(int bin) const { return edge(bin + 0.5); }
  double width() const { return width_; }

 private:
  double range_, width_;
  std::vector<std::int64_t> counts_;
};

struct SliceCuts {
  std::vector<double> cut;    // (S - 1) boundaries between slices, decreasing: slice s lies between
                              // cut[s-1] and cut[s]
  std::vector<double> z;      // (S) mean z [m], from the histogram
  std::vector<double> rms;    // (S) rms of z within the slice [m]
  std::vector<double> share;  // (S) fraction of the beam's particles, from the histogram
  // (S + 1) planes between which the field is interpolated: the cuts, and beyond them planes as far
  // from the mean of the outermost slices as their inner cut (for one slice: one rms from the
  // mean).
  std::vector<double> plane;

  int slices() const { return static_cast<int>(z.size()); }
};

// extent: half the cut range in rms of z (equal width only; the outermost slices take the tails)
SliceCuts cut_slices(const LongitudinalHistogram& histogram, Slicing rule, int slices, double mean,
                     double rms, double extent);

// Reorders the particles slice by slice; returns where each slice begins, and the end (S + 1).
// Card: (S - 1) comparisons a particle; 8 + 1 bytes, then 53 read and 52 written.
std::vector<std::int64_t> sort_by_slice(Particles& particles, const SliceCuts& cuts,
                                        parallel::Buffer<std::uint8_t>& slice_of, int threads);

}  // namespace phasewise::beam
