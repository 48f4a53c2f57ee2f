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
                       const exchange::TeamPointer& team, std::int64_t pair_stride,
                       std::int64_t doubles) {
  const int wavenumbers = static_cast<int>(division.order().size());
  const exchange::TransposeParts parts =
      exchange::transpose_parts({.rows = division.pairs(),
                                 .columns = wavenumbers,
                                 .row_stride = wavenumbers,
                                 .column_stride = pair_stride,
                                 .value = static_cast<std::int64_t>(sizeof(double)) * doubles},
                                division.ranks(), team->me);
  to_columns_ = {.phase = phases::transpose,
                 .channel = channels::transpose,
                 .team = team,
                 .algorithm = algorithm,
                 .rounds = exchange::rounds_of(algorithm, *team),
                 .grids = 1,
                 .block = parts.block,
                 .from = parts.in_rows,
                 .to = parts.in_columns};
  to_rows_ = to_columns_;
  std::swap(to_rows_.from, to_rows_.to);
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
