#include "exchange/sum_rounds.hpp"

#include <algorithm>
#include <bit>

#include "exchange/node_members.hpp"

namespace phasewise::exchange {
namespace {

const std::vector<int> own{0}, second{1};  // chunks

void send(Round& round, int peer) { round.sends.push_back({peer, own}); }
void receive(Round& round, int peer) { round.receives.push_back({peer, own}); }

int doublings(int p) {
  return p > 1 ? std::bit_width(static_cast<unsigned>(p - 1)) : 0;  // ceil(log2 p)
}

// Adds rounds that sum along a binomial tree to the first of p members: `count` rounds, of which
// the last ones may be empty. rank(place) is the number in the team of the member at a place.
template <class Rank>
void add_tree(Rounds& rounds, int p, int place, int count, const Rank& rank) {
  for (int k = 0, mask = 1; k < count; ++k, mask *= 2) {
    Round& round = rounds.emplace_back();
    const int below = place & (2 * mask - 1);
    if (below == mask)
      send(round, rank(place - mask));
    else if (below == 0 && place + mask < p)
      receive(round, rank(place + mask));
  }
}

// The members beyond a power of two. Each of them is represented by a member below it.
struct Fold {
  int power, beyond;

  explicit Fold(int p)
      : power(static_cast<int>(std::bit_floor(static_cast<unsigned>(p)))), beyond(p - power) {}
  bool outside(int place) const { return place >= power; }
  bool stands_for_another(int place) const { return place >= 0 && place < beyond; }
};

// Adds rounds in which the members beyond a power of two give their values to another member, the
// others sum by recursive doubling, and the sums go back. A place of -1 is none of the members: it
// gets equally many rounds, all empty.
template <class Rank>
void add_doubling(SumRounds& rounds, int p, int place, const Rank& rank) {
  const Fold fold(p);
  if (fold.beyond > 0) {
    Round& round = rounds.added.emplace_back();
    if (fold.outside(place))
      send(round, rank(place - fold.power));
    else if (fold.stands_for_another(place))
      receive(round, rank(place + fold.power));
    rounds.stored.push_back(opposite(round));
  }
  for (int mask = 1; mask < fold.power; mask *= 2) {
    Round& round = rounds.added.emplace_back();
    if (place < 0 || fold.outside(place)) continue;
    send(round, rank(place ^ mask));
    receive(round, rank(place ^ mask));
  }
}

int itself(int place) { return place; }

// Before round k chunk 0 of a member has the sum of the 2^k members up to itself. For each bit of p
// the second register gets the sum of 2^bit members, adjacent to those that it already has.
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
  add_tree(result.added, static_cast<int>(team.size()), place, doublings(static_cast<int>(largest)),
           [&](int other) { return team[other]; });
  const Rounds within = reversed(result.added);
  add_doubling(result, static_cast<int>(leaders.size()), leader,
               [&](int other) { return leaders[other]; });
  result.stored.insert(result.stored.end(), within.begin(), within.end());
  return result;
}

}  // namespace

SumRounds doubling_rounds(int me, int p) {
  SumRounds result;
  add_doubling(result, p, me, itself);
  return result;
}

SumRounds tree_rounds(int me, int p) {
  SumRounds result;
  add_tree(result.added, p, me, doublings(p), itself);
  result.stored = reversed(result.added);
  return result;
}

const std::vector<std::string>& sum_algorithms() {
  static const std::vector<std::string> names = {"mpi",           "recursive-doubling", "binomial",
                                                 "dissemination", "node-aware",         "put"};
  return names;
}

SumRounds sum_rounds(SumAlgorithm algorithm, int me, std::span<const int> nodes) {
  const int p = static_cast<int>(nodes.size());
  require_member(me, p);
  switch (algorithm) {
    case SumAlgorithm::recursive_doubling:
    case SumAlgorithm::put:
      return doubling_rounds(me, p);
    case SumAlgorithm::binomial:
      return tree_rounds(me, p);
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
