#include "qcd/update/subset_faces.hpp"

#include <memory>
#include <utility>

#include "qcd/gauge/links.hpp"

namespace phasewise::qcd {
namespace {

struct Span {
  int first, last;  // of coordinates, with the last one
};

class Subset {
 public:
  Subset(const HaloBox& box, int across, int mu, int parity)
      : box_(box), across_(across), mu_(mu), parity_(parity) {}

  // The sites of a plane: one region for each choice of the other coordinates' parities.
  std::vector<exchange::Region> plane(int at) const {
    std::vector<exchange::Region> found;
    for (int odd = 0; odd < 1 << axes; ++odd) {
      if ((odd >> across_ & 1) != (at & 1) || (__builtin_popcount(odd) & 1) != parity_) continue;
      const exchange::Region region = of_parities(at, odd);
      if (region.bytes() > 0) found.push_back(region);
    }
    return found;
  }

 private:
  Span span(int axis, int at) const {
    if (axis == across_) return {at, at};
    const int halo = box_.has(axis) && axis < across_ ? 1 : 0;
    return {-halo, box_.domain().extent(axis) - 1 + halo};
  }
  exchange::Region of_parities(int at, int odd) const {
    Extents first{}, count{};
    for (int axis = 0; axis < axes; ++axis) {
      const Span all = span(axis, at);
      first[axis] = all.first + (((all.first & 1) != (odd >> axis & 1)) ? 1 : 0);
      count[axis] = first[axis] > all.last ? 0 : (all.last - first[axis]) / 2 + 1;
    }
    auto loops = std::make_shared<std::vector<exchange::Repeat>>();
    for (int axis = axes - 1; axis >= 0; --axis) {
      if (count[axis] == 1) continue;
      Extents next = first;
      next[axis] += 2;
      const std::int64_t stride =
          count[axis] == 0 ? 0 : (box_.index(next) - box_.index(first)) * Links::site_bytes;
      loops->push_back({count[axis], stride});
    }
    exchange::Region region{
        .offset = box_.index(first) * Links::site_bytes + mu_ * std::int64_t{sizeof(Matrix)},
        .run = sizeof(Matrix),
        .repeats = {}};
    if (!loops->empty()) region.repeats = std::move(loops);
    return region;
  }

  const HaloBox& box_;
  int across_, mu_, parity_;
};

}  // namespace

Faces subset_faces(const HaloBox& box, int across, int mu, int parity) {
  const Subset subset(box, across, mu, parity);
  const int extent = box.domain().extent(across);
  return {.to_before = subset.plane(0),
          .to_behind = subset.plane(extent - 1),
          .from_before = subset.plane(-1),
          .from_behind = subset.plane(extent)};
}

}  // namespace phasewise::qcd
