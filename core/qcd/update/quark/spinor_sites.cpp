#include "qcd/update/quark/spinor_sites.hpp"

namespace phasewise::qcd {

SpinorSites::SpinorSites(const Domain& domain, const Hopping<double>& kernel) : sites_(kernel) {
  const Extents box = domain.extents();
  const int lanes = kernel.lanes();
  const auto half = static_cast<std::size_t>(domain.volume() / 2);
  for (std::size_t parity = 0; parity < 2; ++parity) {
    ahead_[parity].resize(axes * half);
    crossings_[parity].assign(half, 0);
  }
  for_each_site(box, [&](const Extents& at) {
    const auto parity = static_cast<std::size_t>(parity_of(at));
    const std::int64_t slot = FieldSites::slot_of(kernel.place(at), lanes);
    const Extents global = domain.global(at);
    for (int axis = 0; axis < axes; ++axis) {
      Extents next = at;
      next[axis] = (at[axis] + 1) % box[axis];
      const bool outside = domain.split(axis) && next[axis] == 0;
      const std::int64_t found = outside ? -1 - whole_face_site_of(box, axis, at)
                                         : FieldSites::slot_of(kernel.place(next), lanes);
      const std::int64_t place = (slot / lanes * axes + axis) * lanes + slot % lanes;
      ahead_[parity][static_cast<std::size_t>(place)] = static_cast<std::int32_t>(found);
      if (global[axis] == domain.size[axis] - 1)
        crossings_[parity][static_cast<std::size_t>(slot)] |=
            static_cast<std::uint8_t>(1U << static_cast<unsigned>(axis));
    }
  });
}

}  // namespace phasewise::qcd
