#include "ocean/halo.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "exchange/neighbour_exchange.hpp"

namespace phasewise::ocean {
namespace {

// Cells of a block, from (i, j) on.
struct Box {
  int i, j, nx, ny;
};

// A part of the ghosts of one block that are own cells, or ghosts along x, of another one.
struct Strip {
  int to, from;  // blocks
  Box in, out;   // of the block it goes to, and of the other one
};

// Ghost columns beside own rows.
void append_along_x(const Layout& layout, int block, std::vector<Strip>& strips) {
  const Block& own = layout.blocks()[block];
  for (const int side : {0, 1}) {
    const int other = layout.neighbour(block, side == 0 ? -1 : 1, 0);
    if (other < 0) continue;
    const int far = layout.blocks()[other].nx - ghosts;
    strips.push_back({block,
                      other,
                      {side == 0 ? -ghosts : own.nx, 0, ghosts, own.ny},
                      {side == 0 ? far : 0, 0, ghosts, own.ny}});
  }
}

// Ghost rows over the whole width. Where the block beyond was dropped, the corners are cells of
// its neighbours.
void append_along_y(const Layout& layout, int block, std::vector<Strip>& strips) {
  const Block& own = layout.blocks()[block];
  for (const int side : {0, 1}) {
    const int step = side == 0 ? -1 : 1, to_row = side == 0 ? -ghosts : own.ny;
    const auto from_row = [&](int other) {
      return side == 0 ? layout.blocks()[other].ny - ghosts : 0;
    };
    const int other = layout.neighbour(block, 0, step), width = own.nx + 2 * ghosts;
    if (other >= 0) {
      strips.push_back({block,
                        other,
                        {-ghosts, to_row, width, ghosts},
                        {-ghosts, from_row(other), width, ghosts}});
      continue;
    }
    for (const int corner : {0, 1}) {
      const int beyond = layout.neighbour(block, corner == 0 ? -1 : 1, step);
      if (beyond < 0) continue;
      const int column = corner == 0 ? layout.blocks()[beyond].nx - ghosts : 0;
      strips.push_back({block,
                        beyond,
                        {corner == 0 ? -ghosts : own.nx, to_row, ghosts, ghosts},
                        {column, from_row(beyond), ghosts, ghosts}});
    }
  }
}

// The blocks around the rank's own, and these.
std::vector<int> around(const Layout& layout, const std::vector<int>& own) {
  std::vector<int> all;
  for (const int block : own)
    for (int north = -1; north <= 1; ++north)
      for (int east = -1; east <= 1; ++east)
        if (const int other = layout.neighbour(block, east, north); other >= 0)
          all.push_back(other);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

// The place of a pair of ranks in an order of all pairs that both know. Pairs of ranks that lie in
// a row come in two turns, so that calls that wait for each other do not wait for the whole row.
std::tuple<int, int, int> place_of(int a, int b) {
  const int low = std::min(a, b), apart = std::max(1, std::abs(a - b));
  return {low / apart % 2, apart, low};
}

class Stage {
 public:
  Stage(const Layout& layout, const Planes& planes, int rank)
      : layout_(layout), planes_(planes), rank_(rank) {
    for (std::size_t part = 0; part < planes.parts().size(); ++part)
      part_of_[planes.parts()[part].block] = static_cast<int>(part);
  }

  template <class F>
  exchange::ExchangePointer made(const HaloSetting& setting, const std::vector<int>& nodes,
                                 F&& append) const {
    std::vector<Strip> strips;
    for (const int block : around(layout_, layout_.blocks_of(rank_)))
      append(layout_, block, strips);
    std::map<int, std::vector<exchange::Region>> sent, received;
    std::vector<int> peers;
    for (const Strip& strip : strips) {
      const int to = layout_.blocks()[strip.to].owner, from = layout_.blocks()[strip.from].owner;
      if (from == rank_) sent[to].push_back(region_of(strip.from, strip.out));
      if (to == rank_) received[from].push_back(region_of(strip.to, strip.in));
      if (from == rank_ || to == rank_) peers.push_back(from == rank_ ? to : from);
    }
    std::ranges::sort(peers, {}, [&](int peer) { return std::pair(place_of(rank_, peer), peer); });
    peers.erase(std::ranges::unique(peers).begin(), peers.end());
    exchange::NeighbourExchange builder(setting.phase, setting.channel, setting.protocol, nodes,
                                        rank_);
    for (const int peer : peers) {
      if (sent.contains(peer)) builder.send(peer, sent[peer]);
      if (received.contains(peer)) builder.receive(peer, received[peer]);
    }
    return builder.done(setting.aggregate ? setting.items : 1);
  }

 private:
  exchange::Region region_of(int block, const Box& box) const {
    constexpr std::int64_t number = sizeof(double);
    return {.offset = number * planes_.at(part_of_.at(block), box.i, box.j),
            .run = number * box.nx,
            .repeats = std::make_shared<const std::vector<exchange::Repeat>>(
                1, exchange::Repeat{box.ny, number * planes_.pitch()})};
  }

  const Layout& layout_;
  const Planes& planes_;
  int rank_;
  std::map<int, int> part_of_;  // of a block of the rank
};

}  // namespace

Halo::Halo(const Layout& layout, const Planes& planes, const std::vector<int>& nodes, int rank,
           const HaloSetting& setting)
    : setting_(setting), plane_(planes.size()) {
  const Stage stage(layout, planes, rank);
  stages_ = {stage.made(setting, nodes, append_along_x),
             stage.made(setting, nodes, append_along_y)};
}

void Halo::start(workload::Listener& listener, double* data) const {
  listener.start(setting_.channel, [&](exchange::Works& works) {
    const int apart = setting_.aggregate ? 1 : setting_.items;
    for (int item = 0; item < apart; ++item) {
      const exchange::ItemBuffer plane(data == nullptr ? nullptr : data + item * plane_, plane_);
      for (const exchange::ExchangePointer& stage : stages_)
        works.push_back({exchange::lent(stage), plane, plane});
    }
  });
}

void Halo::run(workload::Listener& listener, double* data) const {
  start(listener, data);
  finish(listener);
}

}  // namespace phasewise::ocean
