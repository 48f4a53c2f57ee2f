// Centre and size of each slice, summed exactly over all ranks.
#pragma once

#include <array>
#include <cstdint>
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

// Calls visit(t, term) for each sum over a slice, in order; term(u) is what a particle with x px y
// py in u(0) to u(3) adds.
template <class Visit>
PHASEWISE_HD void each_slice_term(const Visit& visit) {
  int t = 0;
  for (int c = 0; c < 4; ++c) visit(t++, [c](const auto& u) { return u(c); });
  for (int a = 0; a < 4; a += 2) {
    visit(t++, [a](const auto& u) { return u(a) * u(a); });
    visit(t++, [a](const auto& u) { return u(a) * u(a + 1); });
    visit(t++, [a](const auto& u) { return u(a + 1) * u(a + 1); });
  }
  for (int a = 0; a < 2; ++a)
    for (int b = 2; b < 4; ++b) visit(t++, [a, b](const auto& u) { return u(a) * u(b); });
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
