#include "driver/collective_rounds.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace phasewise::driver {
namespace {

// The rounds of a collective whose root is member 0.
contention::CollectiveRounds rounds_from_first(const exchange::Collective& collective, int p,
                                               int me) {
  using exchange::CollectiveKind;
  const std::vector<std::int64_t>& sizes = collective.sizes;
  switch (collective.kind) {
    case CollectiveKind::barrier:
      return contention::barrier_rounds(p, me);
    case CollectiveKind::broadcast:
      return contention::broadcast_rounds(p, me, sizes[0]);
    case CollectiveKind::sum:
      return contention::sum_rounds(p, me, sizes[0]);
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::reduce_scatter_equal:
      return contention::reduce_ring_rounds(sizes, me);
    case CollectiveKind::all_gather:
      return contention::gather_ring_rounds(sizes, me);
    case CollectiveKind::all_gather_equal:
      return contention::gather_bruck_rounds(p, me, sizes[0]);
    case CollectiveKind::reduce:
      return contention::reduce_rounds(p, me, sizes[0]);
    case CollectiveKind::gather:
    case CollectiveKind::gather_blocks:
      return contention::gather_rounds(sizes, me);
    case CollectiveKind::scatter:
      return contention::from_first_at_once(p, me, sizes[0], false);
    case CollectiveKind::scatter_blocks:
      return contention::scatter_rounds(sizes, me);
    case CollectiveKind::scan:
    case CollectiveKind::exclusive_scan:
      return contention::scan_rounds(p, me, sizes[0]);
    case CollectiveKind::all_to_all_equal:
      return contention::all_to_all_rounds(p, me, sizes[0]);
    case CollectiveKind::all_to_all:
      break;
  }
  return contention::all_at_once(sizes, collective.receives, me);
}

// How SimGrid 3.32 sends nonblocking collectives: without rounds.
contention::CollectiveRounds started_from_first(const exchange::Collective& collective, int p,
                                                int me) {
  using exchange::CollectiveKind;
  const std::vector<std::int64_t>& sizes = collective.sizes;
  const auto of_mine = [&] { return std::vector<std::int64_t>(sizes.size(), sizes[me]); };
  switch (collective.kind) {
    case CollectiveKind::barrier:
      return contention::from_first_at_once(p, me, 0, true);
    case CollectiveKind::broadcast:
      return contention::from_first_at_once(p, me, sizes[0], false);
    case CollectiveKind::sum:
      return contention::all_at_once(p, me, sizes[0]);
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::reduce_scatter_equal:
      return contention::all_at_once(sizes, of_mine(), me);
    case CollectiveKind::all_gather:
    case CollectiveKind::all_gather_equal:
      return contention::all_at_once(of_mine(), sizes, me);
    case CollectiveKind::all_to_all_equal:
      return contention::all_at_once(p, me, sizes[0]);
    case CollectiveKind::reduce:
      return contention::gather_rounds(std::vector<std::int64_t>(p, sizes[0]), me);
    case CollectiveKind::all_to_all:
      break;
    default:
      return rounds_from_first(collective, p, me);
  }
  return contention::all_at_once(sizes, collective.receives, me);
}

}  // namespace

// Members count from the root on, as libraries let them.
contention::CollectiveRounds rounds_of(const exchange::Collective& collective, int p, int me,
                                       bool at_once) {
  const auto rounds = [&](const exchange::Collective& given, int member) {
    return at_once ? started_from_first(given, p, member) : rounds_from_first(given, p, member);
  };
  if (collective.root == 0) return rounds(collective, me);
  exchange::Collective turned = collective;
  if (std::ssize(turned.sizes) == p)
    std::ranges::rotate(turned.sizes, turned.sizes.begin() + collective.root);
  contention::CollectiveRounds found = rounds(turned, (me - collective.root + p) % p);
  for (contention::CollectiveRound& round : found) {
    for (contention::CollectiveSend& send : round.sends)
      send.peer = (send.peer + collective.root) % p;
    for (int& member : round.receives) member = (member + collective.root) % p;
  }
  return found;
}

}  // namespace phasewise::driver
