#include "qcd/gauge/lane_sites.hpp"

namespace phasewise::qcd {
namespace {

// A domain whose box is a sub-box, split as the box is.
Domain domain_of(const HaloBox& box, const SubBoxes& boxes) {
  Domain domain;
  for (int axis = 0; axis < axes; ++axis) {
    domain.grid[axis] = box.has(axis) ? 2 : 1;
    domain.size[axis] = domain.grid[axis] * boxes.inner[axis];
  }
  return domain;
}

Extents in_lane(const SubBoxes& boxes, int lane, Extents at) {
  const Extents place = boxes.place(lane);
  for (int axis = 0; axis < axes; ++axis) at[axis] += place[axis] * boxes.inner[axis];
  return at;
}

}  // namespace

LaneSites::LaneSites(const HaloBox& box, int halo, int lanes)
    : lanes_(SubBoxes::possible(box.domain().extents(), lanes) ? lanes : 1) {
  check_numbered(box);
  const Extents own = box.domain().extents();
  const SubBoxes boxes = SubBoxes::cut(own, lanes_);
  const HaloBox inner(domain_of(box, boxes), halo, 1);
  vectors_ = LinkSites(inner);
  all_ = inner.sites();
  list_turns(boxes);
  crosses_.resize(static_cast<std::size_t>(all_));
  sites_.resize(static_cast<std::size_t>(lanes_ * all_));
  for_each_with_halo(inner, [&](const Extents& at) {
    const std::int64_t vector = inner.index(at);
    unsigned edges = 0;
    for (int axis = 0; axis < axes; ++axis) {
      if (box.has(axis)) continue;
      if (at[axis] == boxes.inner[axis] - 1) edges |= 1u << axis;
      if (at[axis] == 0) edges |= 1u << (axes + axis);
    }
    crosses_[static_cast<std::size_t>(vector)] = static_cast<std::uint8_t>(edges);
    for (int lane = 0; lane < lanes_; ++lane)
      sites_[static_cast<std::size_t>(lanes_ * vector + lane)] =
          static_cast<std::int32_t>(box.index(in_lane(boxes, lane, at)));
  });
  own_sites_.reserve(static_cast<std::size_t>(volume_of(own)));
  for_each_site(boxes.inner, [&](const Extents& at) {
    for (int lane = 0; lane < lanes_; ++lane)
      own_sites_.push_back(static_cast<std::int32_t>(site_of(own, in_lane(boxes, lane, at))));
  });
}

// A turn is a translation of the sub-boxes among each other, numbered like a lane.
void LaneSites::list_turns(const SubBoxes& boxes) {
  const auto moved = [&](int lane, const Extents& by) {
    Extents at = boxes.place(lane);
    for (int axis = 0; axis < axes; ++axis)
      at[axis] = (at[axis] + by[axis] + boxes.cuts[axis]) % boxes.cuts[axis];
    return boxes.lane_at(at);
  };
  for (int turn = 0; turn < lanes_; ++turn) {
    for (int lane = 0; lane < lanes_; ++lane) turned_[turn][lane] = moved(lane, boxes.place(turn));
    for (int axis = 0; axis < axes; ++axis) {
      next_turn_[0][axis][turn] = boxes.neighbour(turn, axis, 1);
      next_turn_[1][axis][turn] = boxes.neighbour(turn, axis, -1);
    }
  }
}

}  // namespace phasewise::qcd
