#include "lattice/neighbours.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace phasewise::lattice {
namespace {

// An exchange of one round with ranks that join its team as they are named.
class Builder {
 public:
  Builder(const Position& position, std::string_view phase, comm::Channel channel,
          comm::Protocol protocol)
      : position_(position) {
    exchange_.phase = phase;
    exchange_.channel = channel;
    exchange_.protocol = protocol;
    exchange_.uniform = true;
    exchange_.items = {std::make_shared<const std::vector<int>>(1, 0)};
    join(position.rank);
  }

  void send(int rank, const std::vector<comm::Region>& regions) {
    round_.sends.push_back({join(rank), add(regions)});
  }
  void receive(int rank, const std::vector<comm::Region>& regions) {
    round_.receives.push_back({join(rank), add(regions)});
  }

  comm::ExchangePointer done() {
    exchange_.team = std::make_shared<const comm::Team>(std::move(team_));
    exchange_.rounds = std::make_shared<const comm::Rounds>(1, std::move(round_));
    return std::make_shared<const comm::Exchange>(std::move(exchange_));
  }

 private:
  int join(int rank) {
    const auto known = std::ranges::find(team_.ranks, rank);
    const auto member = static_cast<int>(known - team_.ranks.begin());
    if (known != team_.ranks.end()) return member;
    team_.ranks.push_back(rank);
    team_.nodes.push_back(position_.nodes[static_cast<std::size_t>(rank)]);
    return member;
  }
  std::vector<int> add(const std::vector<comm::Region>& regions) {
    std::vector<int> chunks;
    for (const comm::Region& region : regions) {
      chunks.push_back(static_cast<int>(exchange_.blocks.size()));
      exchange_.blocks.push_back({exchange_.items.front().get(), region});
    }
    return chunks;
  }

  const Position& position_;
  comm::Exchange exchange_;
  comm::Team team_;
  comm::Round round_;
};

template <class F>
void for_each_message(const std::vector<comm::Region>& face, Regions regions, F&& f) {
  if (regions == Regions::together) return f(face);
  for (const comm::Region& region : face) f(std::vector<comm::Region>{region});
}

std::vector<comm::Region> divided(const std::vector<comm::Region>& whole, std::int64_t regions) {
  const comm::Region& face = whole.front();
  std::vector<comm::Region> found;
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

comm::ExchangePointer face_exchange(const Position& position, std::string_view phase, int axis,
                                    const Faces& faces, Regions regions, comm::Channel channel,
                                    comm::Protocol protocol) {
  Builder builder(position, phase, channel, protocol);
  const int before = position.neighbour(axis, -1), behind = position.neighbour(axis, 1);
  // Where both are one rank, the first message, to the one before, is the one that it expects
  // first, from behind.
  for_each_message(faces.to_before, regions, [&](const auto& part) { builder.send(before, part); });
  for_each_message(faces.to_behind, regions, [&](const auto& part) { builder.send(behind, part); });
  for_each_message(faces.from_behind, regions,
                   [&](const auto& part) { builder.receive(behind, part); });
  for_each_message(faces.from_before, regions,
                   [&](const auto& part) { builder.receive(before, part); });
  return builder.done();
}

comm::ExchangePointer step_exchange(const Position& position, std::string_view phase, int axis,
                                    bool sends, bool receives, const comm::Region& out,
                                    const comm::Region& in) {
  Builder builder(position, phase, comm::common_channel, comm::Protocol::irecv_isend);
  if (sends) builder.send(position.neighbour(axis, 1), {out});
  if (receives) builder.receive(position.neighbour(axis, -1), {in});
  return builder.done();
}

}  // namespace phasewise::lattice
