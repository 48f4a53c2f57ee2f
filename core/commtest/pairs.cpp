#include "commtest/pairs.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace phasewise::commtest {
namespace {

std::string pair_text(int a, int b) { return std::to_string(a) + "-" + std::to_string(b); }

[[noreturn]] void refuse(const std::string& sentence) {
  throw std::invalid_argument("commtest.pairs: " + sentence);
}

void add(std::vector<Role>& roles, int leader, int peer) {
  const int ranks = static_cast<int>(roles.size());
  if (std::max(leader, peer) >= ranks)
    refuse("the pair " + pair_text(leader, peer) + " needs " +
           std::to_string(std::max(leader, peer) + 1) + " ranks, not " + std::to_string(ranks));
  if (leader == peer)
    refuse("in the pair " + pair_text(leader, peer) + " a rank would wait for itself");
  for (const auto& [rank, other] : {std::pair(leader, peer), std::pair(peer, leader)}) {
    if (!roles[rank].idle())
      refuse("rank " + std::to_string(rank) + " is in the pairs " +
             pair_text(roles[rank].leads ? rank : roles[rank].peer,
                       roles[rank].leads ? roles[rank].peer : rank) +
             " and " + pair_text(leader, peer) + ", and would wait for ever");
    roles[rank] = {other, rank == leader};
  }
}

}  // namespace

std::vector<Role> roles_of(const std::vector<PairRange>& pairs, int ranks) {
  std::vector<Role> roles(static_cast<std::size_t>(ranks));
  for (const auto& [first, last, distance] : pairs) {
    if (last >= 0) {
      for (int i = first; i <= last; ++i) add(roles, i, i + distance);
      continue;
    }
    if (distance >= ranks) add(roles, 0, distance);  // refused
    for (int i = 0; i + distance < ranks; ++i)
      if (i % (2 * distance) < distance) add(roles, i, i + distance);
  }
  return roles;
}

}  // namespace phasewise::commtest
