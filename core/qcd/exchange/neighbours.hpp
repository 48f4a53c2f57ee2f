// The exchange of a rank's faces with its neighbours along an axis.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "exchange/exchange.hpp"
#include "qcd/geometry.hpp"

namespace phasewise::qcd {

// A rank's place among all ranks.
struct Position {
  const Extents& size;
  const Extents& grid;
  const std::vector<Extents>& places;  // of each rank
  const std::vector<int>& ranks;       // at each place
  const std::vector<int>& nodes;       // of each rank
  int rank;

  Domain domain() const { return {size, grid, places[static_cast<std::size_t>(rank)]}; }
  // The rank this many steps further along an axis.
  int neighbour(int axis, int steps) const;
};

// What is sent to the neighbours before and behind along an axis, and what comes from them. Several
// regions of a face form one message.
struct Faces {
  std::vector<exchange::Region> to_before, to_behind, from_before, from_behind;
};

// The same faces, each of one region, divided into as many regions of equal lengths.
Faces divided(const Faces& faces, std::int64_t regions);

// Whether the regions of a face are sent in one message, or each in its own.
enum class Regions : std::uint8_t { together, apart };

// Exchanges a face each way; both go to the same rank if the grid has two ranks along the axis.
exchange::ExchangePointer face_exchange(const Position& position, std::string_view phase, int axis,
                                        const Faces& faces, Regions regions,
                                        exchange::Channel channel, exchange::Protocol protocol);

// One message along an axis from the rank before to this one, and from this one to the rank behind,
// if this rank receives, or sends.
exchange::ExchangePointer step_exchange(const Position& position, std::string_view phase, int axis,
                                        bool sends, bool receives, const exchange::Region& out,
                                        const exchange::Region& in);

// One message along an axis from each rank to the one before it.
exchange::ExchangePointer backward_exchange(const Position& position, std::string_view phase,
                                            int axis, const exchange::Region& out,
                                            const exchange::Region& in);

}  // namespace phasewise::qcd
