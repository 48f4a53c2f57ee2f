// An array over the sites of a rank's part, with planes of its neighbours' sites around it.
#pragma once

#include "qcd/exchange/neighbours.hpp"

namespace phasewise::qcd {

class HaloBox {
 public:
  // `halo` is the number of planes on either side of a split axis; only the first `exchanged` axes
  // have them.
  HaloBox(const Domain& domain, int halo, std::int64_t site_bytes, int exchanged = axes);

  const Domain& domain() const { return domain_; }
  std::int64_t sites() const { return volume_of(box_); }
  std::int64_t bytes() const { return sites() * site_bytes_; }
  // The number of a site at local coordinates from -halo to extent + halo - 1; along axes without a
  // halo the coordinates are taken modulo the extent.
  std::int64_t index(Extents site) const {
    for (int axis = 0; axis < axes; ++axis) {
      const int extent = domain_.extent(axis);
      site[axis] = has(axis) ? site[axis] + halo_ : (site[axis] + extent) % extent;
    }
    return site_of(box_, site);
  }
  int halo() const { return halo_; }
  bool has(int axis) const { return axis < exchanged_ && domain_.split(axis); }

  // The planes along an axis that are sent to neighbours and received from them. They include the
  // halo of earlier axes, so that corners arrive if the axes exchange in order.
  Faces faces(int axis) const;

 private:
  exchange::Region slab(int axis, int first) const;

  Domain domain_;
  int halo_, exchanged_;
  std::int64_t site_bytes_;
  Extents box_{};  // with the halo
};

// Calls f(local coordinates) for the sites of a box with its halo, x fastest.
template <class F>
void for_each_with_halo(const HaloBox& box, F&& f) {
  Extents first{}, reach{};
  for (int axis = 0; axis < axes; ++axis) {
    first[axis] = box.has(axis) ? -box.halo() : 0;
    reach[axis] = box.domain().extent(axis) - 2 * first[axis];
  }
  for_each_site(reach, [&](const Extents& offset) {
    Extents at = offset;
    for (int axis = 0; axis < axes; ++axis) at[axis] += first[axis];
    f(static_cast<const Extents&>(at));
  });
}

}  // namespace phasewise::qcd
