// The exchange of a rank's faces with its neighbours along an axis.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "comm/exchange.hpp"
#include "qcd/geometry.hpp"

namespace phasewise::qcd {

// Where a rank is among all.
struct Position {
  const Extents& size;
  const Extents& grid;
  const std::vector<Extents>& places;  // of the ranks
  const std::vector<int>& ranks;       // at the places
  const std::vector<int>& nodes;       // of the ranks
  int rank;

  Domain domain() const { return {size, grid, places[static_cast<std::size_t>(rank)]}; }
  // The rank so many places further along an axis.
  int neighbour(int axis, int steps) const;
};

// What goes to the neighbours before and behind along an axis, and what comes from them. Several
// regions of a face make one message.
struct Faces {
  std::vector<comm::Region> to_before, to_behind, from_before, from_behind;
};

// The same faces, each of one region, in as many regions of equal lengths.
Faces divided(const Faces& faces, std::int64_t regions);

// Whether the regions of a face go in one message, or each in its own.
enum class Regions : std::uint8_t { together, apart };

// A face each way; both to one rank where the grid has two of them along the axis.
comm::ExchangePointer face_exchange(const Position& position, std::string_view phase, int axis,
                                    const Faces& faces, Regions regions, comm::Channel channel,
                                    comm::Protocol protocol);

// One message along an axis to the rank behind from the rank before, where a rank sends, or
// receives.
comm::ExchangePointer step_exchange(const Position& position, std::string_view phase, int axis,
                                    bool sends, bool receives, const comm::Region& out,
                                    const comm::Region& in);

}  // namespace phasewise::qcd
