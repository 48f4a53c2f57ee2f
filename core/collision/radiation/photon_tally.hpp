// What the photons of a beam take in a passage: sums of integers, which do not depend on the order
// of their terms, and therefore not on ranks or threads.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numbers>
#include <span>

#include "numerics/elementary.hpp"

namespace phasewise::collision {

class PhotonTally {
 public:
  // Energy shares are counted in multiples of 2^-scale, which is as fine as the sum over this many
  // macroparticles allows if none loses more than 16 times its energy.
  static int scale_for(double macroparticles) {
    const int bits = std::bit_width(static_cast<std::uint64_t>(macroparticles));
    return bits < 10 ? 48 : 58 - bits;
  }

  // Counters of the largest Υ: 32 for each octave from 2^-30 to 2^8.
  static constexpr int per_octave = 32, octaves = 38, first_octave = -30;
  static constexpr int size = 3 + per_octave * octaves;

  // Photons by the share that they take: ten bins to a decade from 1e-8 to 1, the first with those
  // below.
  static constexpr int per_decade = 10, decades = 8;
  using Spectrum = std::array<std::int64_t, static_cast<std::size_t>(per_decade* decades)>;

  PhotonTally() = default;
  explicit PhotonTally(int scale) : unit_(std::bit_cast<double>((1023LL + scale) << 52)) {}

  // A photon that takes this share of a particle's energy at Υ.
  void add(double share, double upsilon) {
    ++values_[0];
    values_[1] += fixed(share);
    values_[2] += fixed(share * share);
    ++spectrum_[bin_of(share)];
    meet(upsilon);
  }
  // The photons that a particle emits on average, and the share that they take. Photons are counted
  // in multiples of 64 times the unit of shares, since a particle may emit hundreds.
  void add_expected(double photons, double share) {
    values_[0] += fixed(photons / many);
    values_[1] += fixed(share);
  }
  void meet(double upsilon) {
    static_assert(per_octave == 32);
    const std::int64_t key = std::bit_cast<std::int64_t>(upsilon) >> 47;
    const std::int64_t counter = key - ((1023LL + first_octave) << 5);
    constexpr std::int64_t last = per_octave * octaves - 1;
    ++values_[3 + (counter < 0 ? 0 : (counter < last ? counter : last))];
  }
  void add(const PhotonTally& other) {
    for (int i = 0; i < size; ++i) values_[i] += other.values_[i];
    for (std::size_t i = 0; i < spectrum_.size(); ++i) spectrum_[i] += other.spectrum_[i];
  }
  void clear() {
    values_.fill(0);
    spectrum_.fill(0);
  }
  std::span<std::int64_t, size> values() { return values_; }
  // Of those that this tally was told of itself: it is not among the values that ranks add up.
  const Spectrum& spectrum() const { return spectrum_; }

  double photons() const { return static_cast<double>(values_[0]); }
  double expected_photons() const { return static_cast<double>(values_[0]) / unit_ * many; }
  double shares() const { return static_cast<double>(values_[1]) / unit_; }
  double squares() const { return static_cast<double>(values_[2]) / unit_; }
  // The middle of the last counter that has counted; 0 if none has.
  double largest_upsilon() const {
    for (int i = per_octave * octaves - 1; i >= 0; --i)
      if (values_[3 + i] > 0) {
        const double octave = std::bit_cast<double>((1023LL + first_octave + i / per_octave) << 52);
        return octave * (1.0 + (i % per_octave + 0.5) / per_octave);
      }
    return 0.0;
  }

 private:
  static constexpr double many = 64.0;  // photons, for a share of one

  static std::size_t bin_of(double share) {
    constexpr double last = per_decade * decades - 1, per_unit = per_decade / std::numbers::ln10;
    if (!(share > 1e-8)) return 0;
    const double bin = per_decade * decades + per_unit * numerics::log_positive(share);
    return static_cast<std::size_t>(std::min(bin, last));
  }
  std::int64_t fixed(double value) const { return static_cast<std::int64_t>(value * unit_ + 0.5); }

  double unit_ = 1.0;
  std::array<std::int64_t, size> values_{};  // photons, shares, squares, Υ
  Spectrum spectrum_{};
};

}  // namespace phasewise::collision
