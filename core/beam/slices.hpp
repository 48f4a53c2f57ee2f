// Cutting a bunch along z into slices, numbered from the head, and sorting its particles by slice.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "beam/particles.hpp"
#include "parallel/buffer.hpp"
#include "parallel/kernel.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

enum class Slicing { equal_charge, equal_width };

// Counts of particles in bins of z, on each side of zero: 256 bins for each of the 31 octaves below
// the largest |z|, so that a particle far away does not coarsen the bins of the others. The counts
// are integers, so that their sum over ranks is exact.
class LongitudinalHistogram {
 public:
  static constexpr int half = 31 * 256;  // bins on one side of zero
  static constexpr int bins = 2 * half;
  // The leading bits of |z|: exponent and eight bits of the mantissa, which grow with |z|.
  PHASEWISE_HD static std::int64_t key_of(double magnitude) {
    return std::bit_cast<std::int64_t>(magnitude) >> 44;
  }
  // first_key is that of the bins next to zero.
  PHASEWISE_HD static int bin_of(double z, std::int64_t first_key) {
    const std::int64_t step = key_of(std::fabs(z)) - first_key;
    const int away = static_cast<int>(step < 0 ? 0 : (step < half ? step : half - 1));
    return z < 0.0 ? half - 1 - away : half + away;
  }
  explicit LongitudinalHistogram(double largest);
  void add(const double* z, std::int64_t n);
  void add(const LongitudinalHistogram& other);
  std::int64_t first_key() const { return first_key_; }
  std::vector<std::int64_t>& counts() { return counts_; }
  const std::vector<std::int64_t>& counts() const { return counts_; }
  // Bounds of a bin [m]; bins go from the tail to the head.
  double low(int bin) const { return edge(bin); }
  double high(int bin) const { return edge(bin + 1); }

 private:
  double edge(int bin) const;
  std::int64_t first_key_;  // of the bins next to zero
  std::vector<std::int64_t> counts_;
};

struct SliceCuts {
  std::vector<double> cut;    // (S - 1) boundaries between slices, decreasing: slice s lies between
                              // cut[s-1] and cut[s]
  std::vector<double> z;      // (S) mean z [m], from the histogram
  std::vector<double> rms;    // (S) rms of z within the slice [m]
  std::vector<double> share;  // (S) fraction of the beam's particles, from the histogram
  // (S + 1) planes between which the field is interpolated: the cuts, and outside of them one plane
  // at each end, as far beyond the mean of the outermost slice as its inner cut is before it. With
  // one slice they are one rms from its mean.
  std::vector<double> plane;

  int slices() const { return static_cast<int>(z.size()); }
};

// extent is half the range of the cuts in rms of z (equal width only; the outermost slices include
// the tails).
SliceCuts cut_slices(const LongitudinalHistogram& histogram, Slicing rule, int slices, double mean,
                     double rms, double extent);

// Strips along x, numbered from the lowest x; the first and the last include the tails. Particles
// of one strip meet the same few columns of a mesh, which then stay in the processor's first cache.
struct Strips {
  int count = 1;
  double first = 0.0;          // m, the lower edge of strip 0
  double inverse_width = 0.0;  // 1/m

  PHASEWISE_HD int of(double x) const {
    const double place = (x - first) * inverse_width;
    const double above = place > 0.0 ? place : 0.0;
    return static_cast<int>(above < count - 1 ? above : count - 1);
  }
};

// How many strips a slice of so many particles is worth: at most 16, of 256 particles on average.
int strips_for(double particles_of_slice);
// So many strips of equal width over ±4 rms of x [m] around its mean.
Strips strips_over(int count, double mean, double rms);

// Reorders the particles slice by slice, and those of a slice strip by strip. Returns where each
// slice begins, and the end: S + 1 numbers.
std::vector<std::int64_t> sort_by_slice(Particles& particles, const SliceCuts& cuts,
                                        const Strips& strips,
                                        parallel::Buffer<std::uint16_t>& bin_of, int threads);
// One item is a particle.
parallel::KernelCard sort_card(int slices, int strips);

}  // namespace phasewise::beam
