// Boxes of a four-dimensional lattice, the part of one rank, and how their sites are numbered.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace phasewise::qcd {

// The axes x, y, z and t.
inline constexpr int axes = 4;
using Extents = std::array<int, axes>;

inline std::int64_t volume_of(const Extents& box) {
  std::int64_t sites = 1;
  for (const int extent : box) sites *= extent;
  return sites;
}

inline int parity_of(const Extents& at) { return (at[0] + at[1] + at[2] + at[3]) & 1; }

// The number of a site in a box, with x fastest.
inline std::int64_t site_of(const Extents& box, const Extents& at) {
  return at[0] + static_cast<std::int64_t>(box[0]) *
                     (at[1] + static_cast<std::int64_t>(box[1]) *
                                  (at[2] + static_cast<std::int64_t>(box[2]) * at[3]));
}

// The site with this number.
inline Extents coordinates_of(const Extents& box, std::int64_t number) {
  Extents at;
  for (int axis = 0; axis < axes; ++axis) {
    at[axis] = static_cast<int>(number % box[axis]);
    number /= box[axis];
  }
  return at;
}

// The site's number among those of its parity: (x/2, y, z, t), with the first fastest. x must have
// an even extent.
inline std::int64_t half_site_of(const Extents& box, const Extents& at) {
  return site_of({box[0] / 2, box[1], box[2], box[3]}, {at[0] / 2, at[1], at[2], at[3]});
}

// Calls f(site's coordinates) for all sites of a box, with x fastest.
template <class F>
void for_each_site(const Extents& box, F&& f) {
  Extents at;
  for (at[3] = 0; at[3] < box[3]; ++at[3])
    for (at[2] = 0; at[2] < box[2]; ++at[2])
      for (at[1] = 0; at[1] < box[1]; ++at[1])
        for (at[0] = 0; at[0] < box[0]; ++at[0]) f(static_cast<const Extents&>(at));
}

// The coordinates of all sites in this order.
inline std::vector<Extents> sites_in(const Extents& box) {
  std::vector<Extents> sites;
  sites.reserve(static_cast<std::size_t>(volume_of(box)));
  for_each_site(box, [&](const Extents& at) { sites.push_back(at); });
  return sites;
}

// The part of a rank. A grid of ranks divides the lattice evenly, and the extents of a part are
// even, so that a site has the same parity in the part as in the lattice.
struct Domain {
  Extents size{}, grid{}, place{};

  int extent(int axis) const { return size[axis] / grid[axis]; }
  int origin(int axis) const { return place[axis] * extent(axis); }
  bool split(int axis) const { return grid[axis] > 1; }
  Extents extents() const { return {extent(0), extent(1), extent(2), extent(3)}; }
  std::int64_t volume() const { return volume_of(extents()); }
  // The number of sites of a face across an axis.
  std::int64_t face(int axis) const { return volume() / extent(axis); }
  Extents global(const Extents& at) const {
    return {origin(0) + at[0], origin(1) + at[1], origin(2) + at[2], origin(3) + at[3]};
  }
};

}  // namespace phasewise::qcd
