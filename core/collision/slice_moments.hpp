// Centre and size of each slice, summed exactly over all ranks.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "collision/contents.hpp"
#include "collision/gaussian_slice.hpp"
#include "collision/interaction_point.hpp"
#include "numerics/order_free_sum.hpp"
#include "parallel/macros.hpp"
#include "workload/listener.hpp"

namespace phasewise::collision {

class DeviceWork;

inline constexpr int slice_terms = 14;  // 4 means, 2 × 3 second moments, 4 between the planes

// What a particle with x px y py in u(0) to u(3) adds to a sum over its slice.
template <int term>
struct SliceTerm {
  template <class Values>
  PHASEWISE_HD auto operator()(const Values& u) const {
    constexpr int first[slice_terms] = {0, 1, 2, 3, 0, 0, 1, 2, 2, 3, 0, 0, 1, 1};
    constexpr int second[slice_terms] = {-1, -1, -1, -1, 0, 1, 1, 2, 3, 3, 2, 3, 2, 3};
    constexpr int a = first[term], b = second[term];
    if constexpr (b < 0)
      return u(a);
    else
      return u(a) * u(b);
  }
};

// Calls visit(t, SliceTerm<t>) for each sum over a slice, in order; t is a constant.
template <class Visit, int... t>
PHASEWISE_HD void each_slice_term(const Visit& visit, std::integer_sequence<int, t...>) {
  (visit(std::integral_constant<int, t>{}, SliceTerm<t>{}), ...);
}
template <class Visit>
PHASEWISE_HD void each_slice_term(const Visit& visit) {
  each_slice_term(visit, std::make_integer_sequence<int, slice_terms>{});
}

// How a slice is summed. Coordinates beyond the bounds are clamped to them.
struct SliceSumming {
  double bound[4];
  numerics::OrderFreeGrid grid[slice_terms];

  SliceSumming(const std::array<double, 4>& largest, std::int64_t count);
  // Comparisons, which become vector instructions; std::fmin and std::fmax are calls.
  PHASEWISE_HD double held(int c, double value) const {
    const double above = value > -bound[c] ? value : -bound[c];
    return above < bound[c] ? above : bound[c];
  }
};

// Measures several slices (beam, slice) in one sum over all ranks; collective. Coordinates (x px y
// py) beyond the bounds are clamped to them, so that the sums stay exact even after a large kick.
class SliceMoments {
 public:
  using Listener = workload::Listener;
  // `device` is null if the kernels run on the CPU.
  SliceMoments(int threads, Contents contents, DeviceWork* device)
      : threads_(threads), contents_(contents), device_(device) {}

  struct Which {
    int beam, slice;
  };
  // Sets the bounds to four times the largest present coordinates, which leaves room for the kicks
  // of one collision.
  void set_bounds(const std::array<CollidingBeam, 2>& beams, Listener& listener);
  // Measures the slices `which`. A strong beam brings its own slices. Without contents all slices
  // are empty.
  std::vector<GaussianSlice> of(const std::array<CollidingBeam, 2>& beams,
                                const std::vector<Which>& which, Listener& listener) const;
  // Measures all `slices` of a beam.
  std::vector<GaussianSlice> of_all(const std::array<CollidingBeam, 2>& beams, int beam, int slices,
                                    Listener& listener) const;

 private:
  int threads_;
  Contents contents_;
  DeviceWork* device_;
  std::array<std::array<double, 4>, 2> bounds_{};
};

// The slice that follows from its beam's moments by regression on z.
GaussianSlice typical_slice(const CollidingBeam& beam, int slice);

}  // namespace phasewise::collision
