// The charge density of a beam's slices along z, as those who pass them meet it: the curvature that
// a kick stands for follows it from place to place.
//
// The density is constant over bins of an eighth of the beam's core, whose rms this assumes to be
// half the distance between the quantiles of a Gaussian's ±1σ. In a Gaussian beam the mean of the
// density comes out low by h²/24σ² = 7e-4 of itself and that of its square by twice as much; the
// noise of the N macroparticles in a bin makes both high, by 1/N and 3/N.
#pragma once

#include <vector>

#include "beam/slices.hpp"

namespace phasewise::collision {

class SliceDensity {
 public:
  SliceDensity() = default;
  SliceDensity(const beam::LongitudinalHistogram& histogram, const std::vector<double>& cuts);

  int slices() const { return static_cast<int>(slice_.size()); }
  // Whether the slice has charge along some length.
  bool bends(int slice) const { return slice_[slice].charge > 0.0; }

  // The density [1/m] of a slice of unit charge, where the share `part` of its charge is behind.
  double draw(int slice, double part) const {
    const Slice& s = slice_[slice];
    const double below = s.below + part * s.charge;
    int first = s.first, last = s.last;
    while (first < last) {
      const int middle = (first + last) / 2;
      if (below_[middle + 1] < below)
        first = middle + 1;
      else
        last = middle;
    }
    return density_[first] / s.charge;
  }

  // Means of functions of the density g [1/m] of a slice of unit charge, by two places of equal
  // weight, which give the mean and the variance of g exactly: over the charge, and over the charge
  // with the weight g.
  struct Means {
    double low = 0.0, high = 0.0;                    // over the charge
    double weighted_low = 0.0, weighted_high = 0.0;  // with the weight g
    double mean = 0.0;                               // ∫g² dz
    double largest = 0.0;
  };
  Means means(int slice) const;

 private:
  struct Slice {
    double below = 0.0, charge = 0.0;  // of the beam's charge: behind the slice, and in it
    int first = 0, last = 0;           // bins
  };
  double behind(double z) const;

  std::vector<double> edge_;     // m, from the tail on
  std::vector<double> below_;    // share of the beam's charge behind each edge
  std::vector<double> density_;  // of each bin [1/m]
  std::vector<Slice> slice_;     // from the head on
};

}  // namespace phasewise::collision
