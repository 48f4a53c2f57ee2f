// Builds an exchange of one round between a rank and some others, which join its team when they are
// first named.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "exchange/exchange.hpp"

namespace phasewise::exchange {

class NeighbourExchange {
 public:
  // `nodes` has the node of every rank, and must outlive this object.
  NeighbourExchange(std::string_view phase, Channel channel, Protocol protocol,
                    const std::vector<int>& nodes, int rank)
      : nodes_(nodes) {
    exchange_.phase = phase;
    exchange_.channel = channel;
    exchange_.protocol = protocol;
    exchange_.uniform = true;
    join(rank);
  }

  // Adds one message with these regions. Between two ranks messages match in the order in which
  // they are added.
  void send(int rank, const std::vector<Region>& regions) {
    round_.sends.push_back({join(rank), add(regions)});
  }
  void receive(int rank, const std::vector<Region>& regions) {
    round_.receives.push_back({join(rank), add(regions)});
  }

  // The regions lie in each of so many items, which are sent together.
  ExchangePointer done(int items = 1) {
    exchange_.team = std::make_shared<const Team>(std::move(team_));
    exchange_.rounds = std::make_shared<const Rounds>(1, std::move(round_));
    return of_items(std::move(exchange_), regions_, items);
  }

 private:
  // The number of a rank in the team.
  int join(int rank) {
    const auto known = std::ranges::find(team_.ranks, rank);
    const auto member = static_cast<int>(known - team_.ranks.begin());
    if (known != team_.ranks.end()) return member;
    team_.ranks.push_back(rank);
    team_.nodes.push_back(nodes_[static_cast<std::size_t>(rank)]);
    return member;
  }
  std::vector<int> add(const std::vector<Region>& regions) {
    std::vector<int> chunks;
    chunks.reserve(regions.size());
    for (const Region& region : regions) {
      chunks.push_back(static_cast<int>(regions_.size()));
      regions_.push_back(region);
    }
    return chunks;
  }

  const std::vector<int>& nodes_;
  Exchange exchange_;
  std::vector<Region> regions_;  // one for each chunk
  Team team_;
  Round round_;
};

}  // namespace phasewise::exchange
