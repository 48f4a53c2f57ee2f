#include "exchange/rounds.hpp"

#include <stdexcept>
#include <string>

namespace phasewise::exchange {

void require_member(int me, int p) {
  if (me < 0 || me >= p)
    throw std::invalid_argument("member " + std::to_string(me) + " is not in a team of " +
                                std::to_string(p) + ": give 0 to " + std::to_string(p - 1));
}

Rounds reduce_rounds(Algorithm algorithm, Schedule schedule, int me, std::span<const int> nodes) {
  const int p = static_cast<int>(nodes.size());
  require_member(me, p);
  switch (algorithm) {
    case Algorithm::direct:
      return direct_rounds(schedule, me, p);
    case Algorithm::hypercube:
      return hypercube_rounds(me, p);
    case Algorithm::node_aware:
      return node_aware_rounds(schedule, me, nodes);
    case Algorithm::library:
      break;
  }
  return {};
}

Rounds reversed(const Rounds& rounds) {
  Rounds result;
  result.reserve(rounds.size());
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round)
    result.push_back(opposite(*round));
  return result;
}

}  // namespace phasewise::exchange
