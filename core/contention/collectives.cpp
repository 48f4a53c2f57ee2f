#include "contention/collectives.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "exchange/sum_rounds.hpp"

namespace phasewise::contention {
namespace {

constexpr std::int64_t smallest_piece = 32768;  // [B], as in MPICH
constexpr std::int64_t value_bytes = 8;

// Appends the rounds in which this member has messages, each of which has this number of bytes.
void append(CollectiveRounds& rounds, const exchange::Rounds& from, std::int64_t bytes) {
  for (const exchange::Round& round : from) {
    if (round.sends.empty() && round.receives.empty()) continue;
    CollectiveRound& added = rounds.emplace_back();
    for (const exchange::Transfer& t : round.sends) added.sends.push_back({t.peer, bytes});
    for (const exchange::Transfer& t : round.receives) added.receives.push_back(t.peer);
  }
}

}  // namespace

CollectiveRounds broadcast_rounds(int p, int me, std::int64_t bytes) {
  CollectiveRounds rounds;
  append(rounds, exchange::tree_rounds(me, p).stored, bytes);
  return rounds;
}

CollectiveRounds reduce_rounds(int p, int me, std::int64_t bytes) {
  CollectiveRounds rounds;
  append(rounds, exchange::tree_rounds(me, p).added, bytes);
  return rounds;
}

CollectiveRounds sum_rounds(int p, int me, std::int64_t bytes) {
  CollectiveRounds rounds;
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(p))), rest = p - power;
  const bool paired = me < 2 * rest;
  const bool gives = paired && me % 2 == 0;
  if (gives)
    rounds.push_back({{{me + 1, bytes}}, {}});
  else if (paired)
    rounds.push_back({{}, {me - 1}});
  if (!gives) {
    const int mine = paired ? me / 2 : me - rest;
    const auto member = [&](int number) { return number < rest ? 2 * number + 1 : number + rest; };
    // Each member owns as many values as the others, and the last one those that are left over.
    const std::int64_t value = bytes % value_bytes == 0 ? value_bytes : 1;
    const std::int64_t each = bytes / value / power * value;
    const auto size_of = [&](int first, int last) {
      return each * (last - first) + (last == power ? bytes - each * power : 0);
    };
    int first = 0, last = power;  // of the members whose sums this one has
    for (int mask = 1; mask < power; mask *= 2) {
      const int middle = first + (last - first) / 2;
      const bool low = (mine & mask) == 0;
      const std::int64_t sent = low ? size_of(middle, last) : size_of(first, middle);
      rounds.push_back({{{member(mine ^ mask), sent}}, {member(mine ^ mask)}});
      (low ? last : first) = middle;
    }
    for (int mask = power / 2; mask > 0; mask /= 2) {
      rounds.push_back({{{member(mine ^ mask), size_of(first, last)}}, {member(mine ^ mask)}});
      const int owned = last - first;
      if ((mine & mask) == 0)
        last += owned;
      else
        first -= owned;
    }
  }
  if (gives)
    rounds.push_back({{}, {me + 1}});
  else if (paired)
    rounds.push_back({{{me - 1, bytes}}, {}});
  return rounds;
}

CollectiveRounds reduce_ring_rounds(std::span<const std::int64_t> blocks, int me) {
  const int p = static_cast<int>(blocks.size());
  CollectiveRounds rounds;
  for (int k = 1; k < p; ++k)
    rounds.push_back({{{(me + 1) % p, blocks[(me - k + p) % p]}}, {(me - 1 + p) % p}});
  return rounds;
}

CollectiveRounds gather_ring_rounds(std::span<const std::int64_t> blocks, int me) {
  const int p = static_cast<int>(blocks.size());
  const int right = (me + 1) % p, left = (me - 1 + p) % p;
  const std::int64_t piece =
      std::max(*std::min_element(blocks.begin(), blocks.end()), smallest_piece);
  // Cuts p - 1 blocks, backwards around the ring from block `first`, into pieces; an empty block
  // takes a turn too.
  const auto pieces_from = [&](int first) {
    std::vector<std::int64_t> pieces;
    for (int k = 0; k < p - 1; ++k) {
      std::int64_t left_over = blocks[(first - k + p) % p];
      do {
        pieces.push_back(std::min(left_over, piece));
        left_over -= pieces.back();
      } while (left_over > 0);
    }
    return pieces;
  };
  const std::vector<std::int64_t> sent = pieces_from(me), received = pieces_from(left);
  CollectiveRounds rounds(std::max(sent.size(), received.size()));
  for (std::size_t i = 0; i < sent.size(); ++i)
    if (sent[i] > 0) rounds[i].sends.push_back({right, sent[i]});
  for (std::size_t i = 0; i < received.size(); ++i)
    if (received[i] > 0) rounds[i].receives.push_back(left);
  return rounds;
}

CollectiveRounds gather_bruck_rounds(int p, int me, std::int64_t bytes) {
  CollectiveRounds rounds;
  for (int owned = 1; owned < p; owned *= 2) {
    const std::int64_t sent = bytes * std::min(owned, p - owned);
    rounds.push_back({{{(me - owned + p) % p, sent}}, {(me + owned) % p}});
  }
  return rounds;
}

CollectiveRounds all_to_all_rounds(int p, int me, std::int64_t bytes) {
  constexpr std::int64_t short_block = 200;  // B
  constexpr int few = 12;
  if (bytes >= short_block || p <= few) return all_at_once(p, me, bytes);
  CollectiveRounds rounds;
  for (int distance = 1; distance < p; distance *= 2) {
    std::int64_t blocks = 0;  // those that still have this distance to go
    for (int block = 1; block < p; ++block) blocks += (block & distance) != 0 ? 1 : 0;
    rounds.push_back({{{(me + distance) % p, blocks * bytes}}, {(me - distance + p) % p}});
  }
  return rounds;
}

CollectiveRounds scatter_rounds(std::span<const std::int64_t> blocks, int me) {
  if (me > 0) return {{{}, {0}}};
  CollectiveRound scatter;
  for (int member = 1; member < std::ssize(blocks); ++member)
    scatter.sends.push_back({member, blocks[member]});
  return {scatter};
}

CollectiveRounds gather_rounds(std::span<const std::int64_t> blocks, int me) {
  if (me > 0) return {{{{0, blocks[me]}}, {}}};
  CollectiveRound gather;
  for (int member = 1; member < std::ssize(blocks); ++member) gather.receives.push_back(member);
  return {gather};
}

CollectiveRounds scan_rounds(int p, int me, std::int64_t bytes) {
  CollectiveRound round;
  for (int member = me + 1; member < p; ++member) round.sends.push_back({member, bytes});
  for (int member = 0; member < me; ++member) round.receives.push_back(member);
  return {round};
}

CollectiveRounds gather_and_broadcast_rounds(std::span<const std::int64_t> blocks, int me) {
  const int p = static_cast<int>(blocks.size());
  CollectiveRounds rounds = gather_rounds(blocks, me);
  const std::int64_t all = std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
  for (CollectiveRound& round : broadcast_rounds(p, me, all)) rounds.push_back(std::move(round));
  return rounds;
}

CollectiveRounds short_sum_rounds(int p, int me, std::int64_t bytes) {
  const exchange::SumRounds doubling = exchange::doubling_rounds(me, p);
  CollectiveRounds rounds;
  append(rounds, doubling.added, bytes);
  append(rounds, doubling.stored, bytes);
  return rounds;
}

CollectiveRounds barrier_rounds(int p, int me) { return short_sum_rounds(p, me, 0); }

CollectiveRounds all_at_once(int p, int me, std::int64_t bytes_to_each) {
  CollectiveRound round;
  for (int k = 1; k < p; ++k) {
    round.sends.push_back({(me + k) % p, bytes_to_each});
    round.receives.push_back((me + k) % p);
  }
  return {round};
}

CollectiveRounds from_first_at_once(int p, int me, std::int64_t bytes, bool gathers) {
  CollectiveRound round;
  if (me > 0) {
    round.receives.push_back(0);
    if (gathers) round.sends.push_back({0, 0});
    return {round};
  }
  for (int member = 1; member < p; ++member) {
    round.sends.push_back({member, bytes});
    if (gathers) round.receives.push_back(member);
  }
  return {round};
}

CollectiveRounds all_at_once(std::span<const std::int64_t> to, std::span<const std::int64_t> from,
                             int me) {
  const int p = static_cast<int>(to.size());
  CollectiveRound round;
  for (int k = 1; k < p; ++k) {
    const int peer = (me + k) % p;
    if (to[peer] > 0) round.sends.push_back({peer, to[peer]});
    if (from[peer] > 0) round.receives.push_back(peer);
  }
  return {round};
}

}  // namespace phasewise::contention
