#include "exchange/protocol.hpp"

#include <algorithm>
#include <set>

#include "exchange/exchange.hpp"

namespace phasewise::exchange {
namespace {

// The members that the transfers go to, without copies to this rank and empty transfers.
std::vector<int> peers(const Exchange& exchange, const std::vector<Transfer>& transfers) {
  std::vector<int> found;
  for (const Transfer& t : transfers)
    if (exchange.message_bytes(t) > 0) found.push_back(t.peer);
  return found;
}

std::vector<int> ranks_of(const Exchange& exchange, const std::vector<int>& members) {
  std::vector<int> ranks;
  ranks.reserve(members.size());
  for (const int member : members) ranks.push_back(exchange.team->ranks[member]);
  return ranks;
}

std::int64_t distinct(const std::vector<int>& members) {
  return std::ssize(std::set<int>(members.begin(), members.end()));
}

// Those of `members` with whom nothing goes the other way. Only a message from them tells that the
// memory of the preceding exchange is free again.
std::vector<int> one_way(const std::vector<int>& members, const std::vector<int>& others) {
  std::vector<int> found;
  for (const int member : members)
    if (std::ranges::find(others, member) == others.end()) found.push_back(member);
  return found;
}

// A flag follows the data. A rank that gets nothing back from a receiver is told before the data
// that the memory there is free again.
Signals flags_behind_data(const Exchange& exchange, const std::vector<int>& to,
                          const std::vector<int>& from) {
  return {.before = ranks_of(exchange, one_way(from, to)), .after = ranks_of(exchange, to)};
}

// Within a node flags lie in memory; between nodes they are messages.
Signals flags_between_nodes(const Exchange& exchange, const std::vector<int>& to,
                            const std::vector<int>& from) {
  const auto part = [&](std::vector<int> members, bool near) {
    std::erase_if(members, [&](int member) { return exchange.team->near(member) != near; });
    return members;
  };
  Signals signals = flags_behind_data(exchange, part(to, false), part(from, false));
  const Signals near = flags_behind_data(exchange, part(to, true), part(from, true));
  signals.synchronisations = std::ssize(signals.before) + std::ssize(signals.after) +
                             std::ssize(near.before) + std::ssize(near.after);
  return signals;
}

}  // namespace

Overhead overhead_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::persistent:
    case Protocol::partitioned:
      return Overhead::persistent;
    case Protocol::derived:
    case Protocol::neighbour:
      return Overhead::derived;
    case Protocol::fence:
    case Protocol::post_start:
    case Protocol::put:
    case Protocol::get:
    case Protocol::shared:
      return Overhead::one_sided;
    case Protocol::shmem:
      return Overhead::shmem;
    case Protocol::coarray:
      return Overhead::coarray;
    default:
      return Overhead::two_sided;
  }
}

Staging staging_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::derived:
    case Protocol::packed:
    case Protocol::neighbour:
      return Staging::types;
    case Protocol::fence:
    case Protocol::post_start:
    case Protocol::put:
    case Protocol::shmem:
    case Protocol::coarray:
      return Staging::window;
    case Protocol::get:
      return Staging::exposed;
    case Protocol::shared:
    case Protocol::partitioned:
      return Staging::stored;
    default:
      return Staging::plain;
  }
}

bool blocks(Protocol protocol) {
  switch (protocol) {
    case Protocol::irecv_isend:
    case Protocol::synchronous:
    case Protocol::persistent:
    case Protocol::derived:
    case Protocol::put:
    case Protocol::partitioned:
      return false;
    default:
      return true;
  }
}

bool needs_preparation(Protocol protocol) {
  return protocol == Protocol::neighbour || protocol == Protocol::ready ||
         staging_of(protocol) == Staging::window || staging_of(protocol) == Staging::exposed ||
         staging_of(protocol) == Staging::stored;
}

Signals signals_of(const Exchange& exchange, const Round& round) {
  const std::vector<int> to = peers(exchange, round.sends), from = peers(exchange, round.receives);
  const auto count = [](const Signals& s) { return std::ssize(s.before) + std::ssize(s.after); };
  Signals signals;
  switch (exchange.protocol) {
    case Protocol::ready:
      signals.before = ranks_of(exchange, from);
      signals.synchronisations = count(signals);
      break;
    case Protocol::put:
    case Protocol::get:
      signals = flags_behind_data(exchange, to, from);
      signals.synchronisations = count(signals);
      break;
    case Protocol::shared:
      signals = flags_between_nodes(exchange, to, from);
      break;
    case Protocol::shmem:
    case Protocol::coarray:
      signals.synchronisations = count(flags_behind_data(exchange, to, from));
      break;
    case Protocol::post_start:
      signals.synchronisations = distinct(to) + distinct(from);
      break;
    case Protocol::fence:
      signals.fence = true;
      signals.synchronisations = 1;
      break;
    default:
      break;
  }
  return signals;
}

}  // namespace phasewise::exchange
