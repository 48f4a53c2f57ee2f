// Centre and size of each slice, summed exactly over all ranks.
#pragma once

#include <array>
#include <vector>

#include "collision/contents.hpp"
#include "collision/interaction_point.hpp"
#include "workload/listener.hpp"

namespace phasewise::collision {

// A Gaussian slice at the reference plane: x px y py, and the second moments of each plane.
struct GaussianSlice {
  double count = 0.0;  // macroparticles
  double z = 0.0;      // m
  std::array<double, 4> mean{};
  std::array<double, 3> xx{}, yy{};  // <u u>, <u p>, <p p>, central

  // At a distance s along its own beam.
  double x_at(double s) const { return mean[0] + s * mean[1]; }
  double y_at(double s) const { return mean[2] + s * mean[3]; }
  double sxx_at(double s) const { return xx[0] + s * (2.0 * xx[1] + s * xx[2]); }
  double syy_at(double s) const { return yy[0] + s * (2.0 * yy[1] + s * yy[2]); }
};

// Measures several slices in one sum over all ranks; collective. Coordinates (x px y py) beyond the
// bounds are clamped to them, so that the sums stay exact whatever a kick does.
class SliceMoments {
 public:
  using Listener = workload::Listener;
  SliceMoments(int threads, Contents contents) : threads_(threads), contents_(contents) {}

  struct Which {
    int beam, slice;
  };
  // Sets the bounds to four times the largest coordinates now, which leaves room for the kicks of
  // one collision.
  void set_bounds(const std::array<CollidingBeam, 2>& beams, Listener& listener);
  // A strong beam's slices follow from its design moments. Without contents all slices are empty.
  std::vector<GaussianSlice> of(const std::array<CollidingBeam, 2>& beams,
                                const std::vector<Which>& which, Listener& listener) const;
  // All `slices` of a beam.
  std::vector<GaussianSlice> of_all(const std::array<CollidingBeam, 2>& beams, int beam, int slices,
                                    Listener& listener) const;

 private:
  int threads_;
  Contents contents_;
  std::array<std::array<double, 4>, 2> bounds_{};
};

// The slice that follows from its beam's moments by regression on z; a strong beam has no other.
GaussianSlice typical_slice(const CollidingBeam& beam, int slice);

}  // namespace phasewise::collision
