#include "qcd/exchange/neighbours.hpp"

#include "exchange/neighbour_exchange.hpp"

namespace phasewise::qcd {
namespace {

template <class F>
void for_each_message(const std::vector<exchange::Region>& face, Regions regions, F&& f) {
  if (regions == Regions::together) return f(face);
  for (const exchange::Region& region : face) f(std::vector<exchange::Region>{region});
}

std::vector<exchange::Region> divided(const std::vector<exchange::Region>& whole,
                                      std::int64_t regions) {
  const exchange::Region& face = whole.front();
  std::vector<exchange::Region> found;
  found.reserve(static_cast<std::size_t>(regions));
  for (std::int64_t i = 0; i < regions; ++i)
    found.push_back({.offset = face.offset + i * (face.run / regions),
                     .run = face.run / regions,
                     .repeats = nullptr});
  return found;
}

}  // namespace

Faces divided(const Faces& faces, std::int64_t regions) {
  return {.to_before = divided(faces.to_before, regions),
          .to_behind = divided(faces.to_behind, regions),
          .from_before = divided(faces.from_before, regions),
          .from_behind = divided(faces.from_behind, regions)};
}

int Position::neighbour(int axis, int steps) const {
  Extents at = places[static_cast<std::size_t>(rank)];
  at[axis] = (at[axis] + steps + grid[axis]) % grid[axis];
  return ranks[static_cast<std::size_t>(site_of(grid, at))];
}

exchange::ExchangePointer face_exchange(const Position& position, std::string_view phase, int axis,
                                        const Faces& faces, Regions regions,
                                        exchange::Channel channel, exchange::Protocol protocol) {
  exchange::NeighbourExchange builder(phase, channel, protocol, position.nodes, position.rank);
  const int before = position.neighbour(axis, -1), behind = position.neighbour(axis, 1);
  // If both are the same rank, the first message, to the rank before, is the one that this rank
  // expects first, from behind.
  for_each_message(faces.to_before, regions, [&](const auto& part) { builder.send(before, part); });
  for_each_message(faces.to_behind, regions, [&](const auto& part) { builder.send(behind, part); });
  for_each_message(faces.from_behind, regions,
                   [&](const auto& part) { builder.receive(behind, part); });
  for_each_message(faces.from_before, regions,
                   [&](const auto& part) { builder.receive(before, part); });
  return builder.done();
}

exchange::ExchangePointer step_exchange(const Position& position, std::string_view phase, int axis,
                                        bool sends, bool receives, const exchange::Region& out,
                                        const exchange::Region& in) {
  exchange::NeighbourExchange builder(phase, exchange::common_channel,
                                      exchange::Protocol::irecv_isend, position.nodes,
                                      position.rank);
  if (sends) builder.send(position.neighbour(axis, 1), {out});
  if (receives) builder.receive(position.neighbour(axis, -1), {in});
  return builder.done();
}

exchange::ExchangePointer backward_exchange(const Position& position, std::string_view phase,
                                            int axis, const exchange::Region& out,
                                            const exchange::Region& in) {
  exchange::NeighbourExchange builder(phase, exchange::common_channel,
                                      exchange::Protocol::irecv_isend, position.nodes,
                                      position.rank);
  builder.send(position.neighbour(axis, -1), {out});
  builder.receive(position.neighbour(axis, 1), {in});
  return builder.done();
}

}  // namespace phasewise::qcd
