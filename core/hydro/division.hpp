// Which zones each rank has. The ranks are a grid of P1 x P2; rank r has the place (r / P2, r mod
// P2). Where an axis is whole, the others are divided:
//   x whole: y among P1, z among P2
//   y whole: x among P1, z among P2
//   z whole: x among P1, y among P2
// so that from x to y only ranks with the same second place exchange, and from y to z only those
// with the same first place. Slabs have P2 = 1 in two dimensions and P1 = 1 in three, where x and y
// are whole at once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exchange/region.hpp"
#include "exchange/share.hpp"
#include "hydro/grid.hpp"
#include "hydro/manner.hpp"

namespace phasewise::hydro {

using exchange::Range;
using exchange::size_of;

// A part of the grid. Its zones are stored with those along axis 1 next to each other.
struct Box {
  std::array<Range, 3> along{};

  std::int64_t size(int axis) const { return size_of(along[axis]); }
  std::int64_t zones() const { return size(0) * size(1) * size(2); }
  // The zones from one to the next along an axis.
  std::int64_t stride(int axis) const {
    return axis == 0 ? 1 : axis == 1 ? size(0) : size(0) * size(1);
  }
  // The place of a zone, which is counted in the whole grid.
  std::int64_t place(int i, int j, int k) const {
    return i - along[0].first +
           size(0) * (j - along[1].first + size(1) * std::int64_t{k - along[2].first});
  }
  bool has(const Zone& zone) const {
    for (int axis = 0; axis < 3; ++axis)
      if (zone.at[axis] < along[axis].first || zone.at[axis] >= along[axis].second) return false;
    return true;
  }
  // The zones that both have; its ranges may be empty.
  Box shared_with(const Box& other) const;
  // The bytes of the zones of a part, in an array of this box's doubles.
  exchange::Region region_of(const Box& part) const;
  bool operator==(const Box&) const = default;
};

class Division {
 public:
  // Throws std::invalid_argument with one sentence if the ranks are too many for the grid, or the
  // given process grid does not suit them.
  Division(const Grid& grid, const Manner& manner, int ranks);

  int ranks() const { return sides_[0] * sides_[1]; }
  // P1 and P2.
  int side(int which) const { return sides_[which]; }
  int place(int rank, int which) const { return which == 0 ? rank / sides_[1] : rank % sides_[1]; }
  // The ranks that differ from a rank only in this place.
  std::vector<int> ranks_along(int rank, int which) const;
  // The shape of the process grid.
  std::vector<int> shape() const;
  std::vector<int> coordinates(int rank) const;

  // A rank's zones where this axis is whole.
  Box box(int rank, int whole_axis) const;
  // The most zones that a rank has.
  std::int64_t most_zones() const;

 private:
  void choose(const Manner& manner, int ranks, const std::array<int, 2>& most);

  std::array<int, 3> zones_;
  int dimensions_;
  bool pencils_;
  std::array<int, 2> sides_{1, 1};
};

}  // namespace phasewise::hydro
