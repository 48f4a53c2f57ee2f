#include "qcd/exchange/halo_box.hpp"

#include <memory>
#include <utility>

namespace phasewise::qcd {

HaloBox::HaloBox(const Domain& domain, int halo, std::int64_t site_bytes, int exchanged)
    : domain_(domain), halo_(halo), exchanged_(exchanged), site_bytes_(site_bytes) {
  for (int axis = 0; axis < axes; ++axis)
    box_[axis] = domain.extent(axis) + (has(axis) ? 2 * halo : 0);
}

// The planes [first, first + halo) along an axis.
exchange::Region HaloBox::slab(int axis, int first) const {
  std::array<std::int64_t, axes> stride;
  std::int64_t bytes = site_bytes_;
  for (int a = 0; a < axes; ++a) {
    stride[a] = bytes;
    bytes *= box_[a];
  }
  exchange::Region region{
      .offset = first * stride[axis], .run = halo_ * stride[axis], .repeats = {}};
  auto loops = std::make_shared<std::vector<exchange::Repeat>>();
  for (int a = axes - 1; a > axis; --a) {
    region.offset += (has(a) ? halo_ : 0) * stride[a];
    loops->push_back({domain_.extent(a), stride[a]});
  }
  if (!loops->empty()) region.repeats = std::move(loops);
  return region;
}

Faces HaloBox::faces(int axis) const {
  const int extent = domain_.extent(axis);
  const auto part = [&](int first) { return std::vector<exchange::Region>{slab(axis, first)}; };
  return {.to_before = part(halo_),
          .to_behind = part(extent),
          .from_before = part(0),
          .from_behind = part(extent + halo_)};
}

}  // namespace phasewise::qcd
