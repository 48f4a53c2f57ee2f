// Which part of the mesh and of its transforms each rank has. The ranks are a grid of `along` by
// `across`: rank r has the place (r / across, r % across). The planes of constant z are divided
// along the first direction, and the rows of a plane along the second one. Slabs are whole planes,
// with across = 1; pencils divide planes too, for more ranks than there are planes.
#pragma once

#include <utility>
#include <vector>

#include "exchange/share.hpp"
#include "field/doubled_box.hpp"
#include "spacecharge/settings.hpp"

namespace phasewise::spacecharge {

using exchange::Range;
using exchange::size_of;

class Division {
 public:
  // For pencils, `across` is the largest divisor of the number of ranks whose square does not
  // exceed it.
  Division(Decomposition decomposition, int ranks) : ranks_(ranks) {
    if (decomposition == Decomposition::slabs) return;
    for (int parts = 2; parts * parts <= ranks; ++parts)
      if (ranks % parts == 0) across_ = parts;
  }

  int ranks() const { return ranks_; }
  int along() const { return ranks_ / across_; }
  int across() const { return across_; }
  bool divides_planes() const { return across_ > 1; }
  // The shape of the process grid.
  std::vector<int> shape() const {
    return divides_planes() ? std::vector<int>{along(), across_} : std::vector<int>{ranks_};
  }
  int place_along(int rank) const { return rank / across_; }
  int place_across(int rank) const { return rank % across_; }
  // The ranks that share the planes of a rank, and those that have the same part of other planes.
  std::vector<int> ranks_across(int rank) const {
    std::vector<int> result(across_);
    for (int b = 0; b < across_; ++b) result[b] = place_along(rank) * across_ + b;
    return result;
  }
  std::vector<int> ranks_along(int rank) const {
    std::vector<int> result(along());
    for (int a = 0; a < along(); ++a) result[a] = a * across_ + place_across(rank);
    return result;
  }

  // The planes along z, and the rows of the mesh along x, that a rank has at both ends of a solve.
  Range planes(const field::DoubledBox& grid, int rank) const {
    return exchange::share(grid.nz(), along(), place_along(rank));
  }
  Range rows(const field::DoubledBox& grid, int rank) const {
    return exchange::share(grid.nx(), across_, place_across(rank));
  }
  // The lines along x of planes that are transformed along y; there is one line for each ky.
  Range lines(const field::DoubledBox& grid, int rank) const {
    return exchange::share(grid.rows(), across_, place_across(rank));
  }
  // The columns along z: a share of those in the rank's lines.
  Range columns(const field::DoubledBox& grid, int rank) const {
    const auto [first, last] = lines(grid, rank);
    const int stride = static_cast<int>(grid.row_stride());
    const auto [begin, end] = exchange::share((last - first) * stride, along(), place_along(rank));
    return {first * stride + begin, first * stride + end};
  }

 private:
  int ranks_, across_ = 1;
};

}  // namespace phasewise::spacecharge
