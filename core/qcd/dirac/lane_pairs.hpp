// Fields of the two precisions: a vector of single precision has twice as many lanes, for the sites
// of two vectors of double precision (sub_boxes.hpp). The box is cut once more, so that each lane
// always has the same place in the two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "parallel/loops.hpp"
#include "qcd/dirac/hopping.hpp"
#include "qcd/dirac/spin.hpp"
#include "qcd/row_tasks.hpp"
#include "qcd/sub_boxes.hpp"

namespace phasewise::qcd {

class LanePairs {
 public:
  static constexpr int narrow_lanes = parallel::lanes, wide_lanes = 2 * narrow_lanes;
  using Narrow = Vector<double, narrow_lanes>;
  using Converted = Vector<float, narrow_lanes>;
  using Wide = Vector<float, wide_lanes>;
  using Permutation = parallel::Places<float, wide_lanes>;

  explicit LanePairs(const Extents& box)
      : narrow_(SubBoxes::cut(box, narrow_lanes)), wide_(SubBoxes::cut(box, wide_lanes)) {
    while (wide_.cuts[axis_] == narrow_.cuts[axis_]) ++axis_;
    for (int lane = 0; lane < wide_lanes; ++lane) {
      Extents place = wide_.place(lane);
      const int half = place[axis_] % 2;
      place[axis_] /= 2;
      const int found = half * narrow_lanes + narrow_.lane_at(place);
      to_wide_[lane] = found;
      to_narrow_[found] = lane;
    }
  }

  std::int64_t vectors() const { return wide_.vectors(); }
  // The vector of double precision with one half of a vector's sites.
  std::int64_t narrow_vector(std::int64_t wide, int half) const {
    Extents in = coordinates_of(half_box(wide_), wide);
    in[axis_] += half * half_box(wide_)[axis_];
    return site_of(half_box(narrow_), in);
  }

  // `Reals` reals of a vector.
  template <int Reals>
  void widen(const double* first, const double* second, float* to) const {
    for (int i = 0; i < Reals; ++i) {
      Wide both;
      put(load_vector<double, narrow_lanes>(first + i * narrow_lanes), 0, both);
      put(load_vector<double, narrow_lanes>(second + i * narrow_lanes), 1, both);
      store_vector<float, wide_lanes>(to + i * wide_lanes, parallel::permuted(both, to_wide_));
    }
  }
  template <int Reals>
  void narrow(const float* from, double* first, double* second) const {
    for (int i = 0; i < Reals; ++i) {
      const Wide both =
          parallel::permuted(load_vector<float, wide_lanes>(from + i * wide_lanes), to_narrow_);
      store_vector<double, narrow_lanes>(first + i * narrow_lanes, half_of(both, 0));
      store_vector<double, narrow_lanes>(second + i * narrow_lanes, half_of(both, 1));
    }
  }

 private:
  static Extents half_box(const SubBoxes& boxes) {
    return {boxes.inner[0] / 2, boxes.inner[1], boxes.inner[2], boxes.inner[3]};
  }
  static void put(const Narrow& value, int half, Wide& both) {
    const auto converted = __builtin_convertvector(value, Converted);
    std::memcpy(reinterpret_cast<float*>(&both) + half * narrow_lanes, &converted,
                sizeof converted);
  }
  static Narrow half_of(const Wide& both, int half) {
    Converted part;
    std::memcpy(&part, reinterpret_cast<const float*>(&both) + half * narrow_lanes, sizeof part);
    return __builtin_convertvector(part, Narrow);
  }

  SubBoxes narrow_, wide_;
  int axis_ = 0;  // the axis that is cut once more
  Permutation to_wide_, to_narrow_;
};

// Converts data of `Reals` reals a site between the orders of two kernels, which have equally many
// lanes, or twice as many in single precision.
template <int Reals, class From, class To>
void convert_data(const Hopping<From>& before, const From* from, const Hopping<To>& after, To* to) {
  const HoppingShape& shape = before.shape();
  if (before.lanes() == after.lanes()) {
    parallel::for_blocks(volume_of(shape.box) / 2 * Reals, shape.threads,
                         [&](std::int64_t begin, int n, int) {
                           for (std::int64_t i = begin; i < begin + n; ++i)
                             to[i] = static_cast<To>(from[i]);
                         });
    return;
  }
  const LanePairs pairs(shape.box);
  constexpr std::int64_t wide = Reals * LanePairs::wide_lanes;
  constexpr std::int64_t narrow = Reals * LanePairs::narrow_lanes;
  for_rows(static_cast<int>(pairs.vectors()), shape.threads, {}, [&](std::int64_t vector) {
    const std::int64_t first = pairs.narrow_vector(vector, 0) * narrow;
    const std::int64_t second = pairs.narrow_vector(vector, 1) * narrow;
    if constexpr (sizeof(To) < sizeof(From))
      pairs.widen<Reals>(from + first, from + second, to + vector * wide);
    else if constexpr (sizeof(To) > sizeof(From))
      pairs.narrow<Reals>(from + vector * wide, to + first, to + second);
  });
}

}  // namespace phasewise::qcd
