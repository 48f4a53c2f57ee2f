#include "sphere/exchanges.hpp"

#include <memory>
#include <utility>

#include "sphere/phases.hpp"

namespace phasewise::sphere {
namespace {

exchange::Rounds sum_rounds(Legendre legendre, int me, const workload::Nodes& nodes) {
  const int ranks = static_cast<int>(nodes.size());
  switch (legendre) {
    case Legendre::hypercube:
      return exchange::hypercube_rounds(me, ranks);
    case Legendre::node_aware:
      return exchange::node_aware_rounds(exchange::Schedule::ring, me, nodes);
    case Legendre::ring:
    case Legendre::transpose:
      break;
  }
  return exchange::pipelined_ring_rounds(me, ranks);
}

}  // namespace

Transposes::Transposes(const Division& division, exchange::Transpose algorithm,
                       const exchange::TeamPointer& team, std::int64_t doubles) {
  constexpr std::int64_t number = sizeof(double);
  const int me = team->me, own = size_of(division.pairs_of(me));
  const std::int64_t row = size_of(division.wavenumbers(me)) * doubles;
  auto blocks = std::make_shared<std::vector<exchange::Region>>(division.ranks());
  auto columns = std::make_shared<std::vector<exchange::Region>>(division.ranks());
  std::int64_t largest = 0;
  for (int rank = 0; rank < division.ranks(); ++rank) {
    if (rank == me) continue;
    const Range pairs = division.pairs_of(rank);
    (*blocks)[rank] = {number * block_of(division, me, rank, doubles),
                       number * doubles * own * size_of(division.wavenumbers(rank)),
                       {}};
    (*columns)[rank] = {number * row * pairs.first, number * row * size_of(pairs), {}};
  }
  // The first rank has the most pairs, and the most wavenumbers.
  if (division.ranks() > 1)
    largest = number * doubles * size_of(division.pairs_of(0)) * size_of(division.wavenumbers(0));
  to_columns_ = {.phase = phases::transpose,
                 .channel = channels::transpose,
                 .team = team,
                 .algorithm = algorithm,
                 .rounds = exchange::rounds_of(algorithm, *team),
                 .grids = 1,
                 .block = largest,
                 .from = std::move(blocks),
                 .to = std::move(columns),
                 .equal_blocks = false};
  to_rows_ = to_columns_;
  std::swap(to_rows_.from, to_rows_.to);
}

std::int64_t Transposes::block_of(const Division& division, int rank, int other,
                                  std::int64_t doubles) {
  const int first = division.wavenumbers(other).first,
            own = other > rank ? size_of(division.wavenumbers(rank)) : 0;
  return doubles * size_of(division.pairs_of(rank)) * (first - own);
}

std::vector<Block> blocks_of(const Division& division, const Manner& manner,
                             const exchange::TeamPointer& team, const workload::Nodes& nodes,
                             std::int64_t sum_bytes, std::int64_t share_bytes) {
  const exchange::Rounds rounds = sum_rounds(manner.legendre, team->me, nodes);
  const auto summing = std::make_shared<const exchange::Rounds>(rounds);
  const auto sharing = std::make_shared<const exchange::Rounds>(exchange::reversed(rounds));
  std::vector<Block> result(manner.blocks);
  for (int b = 0; b < manner.blocks; ++b) {
    Block& block = result[b];
    std::vector<exchange::Region> sums, shares;
    std::int64_t begin = 0;
    for (int rank = 0; rank < division.ranks(); ++rank) {
      const auto [first, last] = division.wavenumbers(rank);
      const auto [from, to] = exchange::share(last - first, manner.blocks, b);
      block.places.emplace_back(first + from, first + to);
      block.begins.push_back(begin);
      const std::int64_t count = division.coefficients_of(block.places.back());
      sums.push_back({.offset = begin * sum_bytes, .run = count * sum_bytes, .repeats = {}});
      shares.push_back({.offset = begin * share_bytes, .run = count * share_bytes, .repeats = {}});
      begin += count;
    }
    block.coefficients = begin;
    exchange::Exchange exchange;
    exchange.channel = channels::blocks[b % 2];
    exchange.team = team;
    exchange.protocol = manner.protocol;
    exchange.phase = phases::sum;
    exchange.adds = true;
    exchange.rounds = summing;
    block.sum = exchange::of_one_item(exchange, sums);
    exchange.phase = phases::share;
    exchange.adds = false;
    exchange.rounds = sharing;
    block.share = exchange::of_one_item(std::move(exchange), shares);
  }
  return result;
}

}  // namespace phasewise::sphere
