#include "qcd/gauge/link_sites.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace phasewise::qcd {

void check_numbered(const HaloBox& box) {
  if (box.sites() > std::numeric_limits<std::int32_t>::max())
    throw std::invalid_argument("a rank has " + std::to_string(box.sites()) +
                                " sites of the lattice, more than it can number; give more ranks");
}

LinkSites::LinkSites(const HaloBox& box) {
  check_numbered(box);
  const Extents own = box.domain().extents();
  const auto numbers = static_cast<std::size_t>(axes * box.sites());
  ahead_.assign(numbers, -1);
  behind_.assign(numbers, -1);
  Extents first{}, last{};
  for (int axis = 0; axis < axes; ++axis) {
    first[axis] = box.has(axis) ? -box.halo() : 0;
    last[axis] = own[axis] - first[axis];
  }
  Extents reach{};
  for (int axis = 0; axis < axes; ++axis) reach[axis] = last[axis] - first[axis];
  for_each_site(reach, [&](const Extents& offset) {
    Extents at = offset;
    bool mine = true;
    for (int axis = 0; axis < axes; ++axis) {
      at[axis] += first[axis];
      mine = mine && at[axis] >= 0 && at[axis] < own[axis];
    }
    const std::int64_t site = box.index(at);
    if (mine) own_.push_back(static_cast<std::int32_t>(site));
    for (int axis = 0; axis < axes; ++axis) {
      Extents next = at;
      next[axis] += 1;
      if (box.has(axis) && next[axis] >= last[axis]) continue;
      const std::int64_t there = box.index(next);
      ahead_[place(site, axis)] = static_cast<std::int32_t>(there);
      behind_[place(there, axis)] = static_cast<std::int32_t>(site);
    }
  });
}

}  // namespace phasewise::qcd
