#include "collision/mesh/overlap_factor.hpp"

#include <cmath>

#include "collision/passage.hpp"
#include "collision/slice_moments.hpp"

namespace phasewise::collision {

OverlapFactor::OverlapFactor(const std::array<CollidingBeam, 2>& beams, int planes)
    : beams_(beams), planes_(planes) {
  for (int b = 0; b < 2; ++b)
    for (int s = 0; s < beams[b].cuts.slices(); ++s)
      shape_[b].push_back(typical_slice(beams[b], s));
}

double OverlapFactor::of(int slice_1, int slice_2, double spread_xx, double spread_yy) const {
  const std::array<int, 2> slice{slice_1, slice_2};
  const GaussianSlice &one = shape_[0][slice_1], &two = shape_[1][slice_2];
  const double where = meeting_distance(one.z, two.z);
  // For each beam: the places where it meets the head and the tail plane, and their weights.
  std::array<std::array<double, 2>, 2> s{{{where, where}, {-where, -where}}};
  std::array<std::array<double, 2>, 2> weight{{{1.0, 0.0}, {1.0, 0.0}}};
  for (int b = 0; planes_ == 2 && b < 2; ++b) {
    const beam::SliceCuts& opposing = beams_[1 - b].cuts;
    const int other = slice[1 - b];
    const double t = place_between_planes(opposing, other);
    weight[b] = {t, 1.0 - t};
    for (int plane = 0; plane < 2; ++plane)
      s[b][plane] = meeting_distance(shape_[b][slice[b]].z, opposing.plane[other + plane]);
  }
  double found = 0.0;
  for (int i = 0; i < planes_; ++i)
    for (int j = 0; j < planes_; ++j)
      found += weight[0][i] * weight[1][j] *
               overlap(one, s[0][i], two, s[1][j], 2.0 * spread_xx, 2.0 * spread_yy);
  const double factor = overlap(one, where, two, -where) / found;
  return std::isfinite(factor) && factor > 0.0 ? factor : 1.0;
}

double place_between_planes(const beam::SliceCuts& cuts, int slice) {
  const double head = cuts.plane[slice], tail = cuts.plane[slice + 1];
  return head > tail ? (cuts.z[slice] - tail) / (head - tail) : 0.0;
}

parallel::KernelCard overlap_factor_card() {
  return {.name = "overlap_factor",
          .flops = 400.0,  // five overlaps of some 80 flops each
          .bytes = 350.0,
          .vectorised = false};
}

}  // namespace phasewise::collision
