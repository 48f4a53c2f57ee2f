// The partner of a member in each round in which all members meet all others, and the lists of such
// rounds.
#pragma once

#include <bit>

#include "exchange/rounds.hpp"

namespace phasewise::exchange {

inline constexpr int nobody = -1;

struct Partners {
  int to, from;
};

// The number of rounds in which each of p members meets all the others, one at a time.
inline int meetings(Schedule schedule, int p) {
  if (schedule == Schedule::ring) return p - 1;
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(p))) - 1;
}

// The partners in round k = 1 … meetings. In a pairwise schedule a member has no partner in some
// rounds unless p is a power of two.
inline Partners partners(Schedule schedule, int me, int p, int k) {
  if (schedule == Schedule::ring) return {(me + k) % p, (me - k + p) % p};
  const int other = (me ^ k) < p ? me ^ k : nobody;
  return {other, other};
}

// Returns the rounds in which member `me` of p meets all others. sent(member) is the transfer to a
// member, received(member) the transfer from it.
template <class Sent, class Received>
Rounds meeting_rounds(Schedule schedule, int me, int p, const Sent& sent,
                      const Received& received) {
  Rounds rounds(static_cast<std::size_t>(meetings(schedule, p)));
  for (int k = 1; k <= meetings(schedule, p); ++k) {
    const Partners met = partners(schedule, me, p, k);
    if (met.to == nobody) continue;
    rounds[static_cast<std::size_t>(k - 1)] = {{sent(met.to)}, {received(met.from)}};
  }
  return rounds;
}

}  // namespace phasewise::exchange
