#include "exchange/sum_rounds.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "exchange/node_members.hpp"

namespace phasewise::exchange {
namespace {

const std::vector<int> own{0}, second{1};  // chunks

void send(Round& round, int peer) { round.sends.push_back({peer, own}); }
void receive(Round& round, int peer) { round.receives.push_back({peer, own}); }

int doublings(int p) {
  return p > 1 ? std::bit_width(static_cast<unsigned>(p - 1)) : 0;  // ceil(log2 p)
}

// Sums along a binomial tree to the first of the members, in `count` rounds, at least as many as
// they need.
void add_tree(Rounds& rounds, std::span<const int> members, int place, int count) {
  const int p = static_cast<int>(members.size());
  for (int k = 0, mask = 1; k < count; ++k, mask *= 2) {
    Round& round = rounds.emplace_back();
    const int below = place & (2 * mask - 1);
    if (below == mask)
      send(round, members[place - mask]);
    else if (below == 0 && place + mask < p)
      receive(round, members[place + mask]);
  }
}

// Members beyond a power of two give their values to another member; the others then double. A
// place of -1, outside of the members, gets as many rounds and takes no part.
void add_doubling(Rounds& rounds, std::span<const int> members, int place) {
  const int p = static_cast<int>(members.size());
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(p)));
  if (p > power) {
    Round& round = rounds.emplace_back();
    if (place >= power)
      send(round, members[place - power]);
    else if (place >= 0 && place < p - power)
      receive(round, members[place + power]);
  }
  for (int mask = 1; mask < power; mask *= 2) {
    Round& round = rounds.emplace_back();
    if (place < 0 || place >= power) continue;
    send(round, members[place ^ mask]);
    receive(round, members[place ^ mask]);
  }
}

// The sums go back to the members beyond a power of two.
void add_return(Rounds& rounds, std::span<const int> members, int place) {
  const int p = static_cast<int>(members.size());
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(p)));
  if (p == power) return;
  Round& round = rounds.emplace_back();
  if (place >= power)
    receive(round, members[place - power]);
  else if (place >= 0 && place < p - power)
    send(round, members[place + power]);
}

SumRounds doubling_rounds(std::span<const int> members, int me) {
  SumRounds result;
  add_doubling(result.added, members, me);
  add_return(result.stored, members, me);
  return result;
}

SumRounds tree_rounds(std::span<const int> members, int me) {
  SumRounds result;
  add_tree(result.added, members, me, doublings(static_cast<int>(members.size())));
  result.stored = reversed(result.added);
  return result;
}

// Before round k chunk 0 of a member has the sum of the 2^k members up to itself. For each bit of p
// the second register gets the sum of as many members, adjacent to those that it already has.
SumRounds dissemination_rounds(int me, int p) {
  SumRounds result;
  const bool power = std::has_single_bit(static_cast<unsigned>(p));
  result.result = power ? 0 : 1;
  for (int width = 1; power ? width < p : width <= p; width *= 2) {
    Round& round = result.added.emplace_back();
    if (!power && (p & width) != 0) {
      const int done = p & (width - 1);  // members in the second register
      send(round, (me + done) % p);
      round.receives.push_back({(me - done + p) % p, second});
    }
    if (2 * width <= p) {
      send(round, (me + width) % p);
      receive(round, (me - width + p) % p);
    }
  }
  return result;
}

SumRounds node_aware_sum_rounds(int me, std::span<const int> nodes) {
  const NodeMembers by_node(nodes);
  std::vector<int> leaders;
  std::size_t largest = 1;
  for (const std::vector<int>& members : by_node.members) {
    leaders.push_back(members.front());
    largest = std::max(largest, members.size());
  }
  const std::vector<int>& team = by_node.members[by_node.node[me]];
  const int place = by_node.place[me], leader = place == 0 ? by_node.node[me] : -1;
  SumRounds result;
  add_tree(result.added, team, place, doublings(static_cast<int>(largest)));
  const Rounds within = reversed(result.added);
  add_doubling(result.added, leaders, leader);
  add_return(result.stored, leaders, leader);
  result.stored.insert(result.stored.end(), within.begin(), within.end());
  return result;
}

}  // namespace

const std::vector<std::string>& sum_algorithms() {
  static const std::vector<std::string> names = {"mpi",           "recursive-doubling", "binomial",
                                                 "dissemination", "node-aware",         "put"};
  return names;
}

SumRounds sum_rounds(SumAlgorithm algorithm, int me, std::span<const int> nodes) {
  const int p = static_cast<int>(nodes.size());
  require_member(me, p);
  std::vector<int> everyone(nodes.size());
  std::iota(everyone.begin(), everyone.end(), 0);
  switch (algorithm) {
    case SumAlgorithm::recursive_doubling:
    case SumAlgorithm::put:
      return doubling_rounds(everyone, me);
    case SumAlgorithm::binomial:
      return tree_rounds(everyone, me);
    case SumAlgorithm::dissemination:
      return dissemination_rounds(me, p);
    case SumAlgorithm::node_aware:
      return node_aware_sum_rounds(me, nodes);
    case SumAlgorithm::library:
      break;
  }
  return {};
}

}  // namespace phasewise::exchange
