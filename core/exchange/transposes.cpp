#include "exchange/partners.hpp"
#include "exchange/rounds.hpp"

namespace phasewise::exchange {
namespace {

Rounds straight_rounds(Schedule schedule, int me, int p) {
  const auto slot = [](int peer) { return Transfer{peer, {peer}}; };
  return meeting_rounds(schedule, me, p, slot, slot);
}

}  // namespace

Rounds transpose_rounds(Transpose algorithm, int me, int p) {
  require_member(me, p);
  switch (algorithm) {
    case Transpose::pairwise:
      return straight_rounds(Schedule::pairwise, me, p);
    case Transpose::ring:
      return straight_rounds(Schedule::ring, me, p);
    case Transpose::bruck:
      return bruck_rounds(me, p);
    case Transpose::alltoallw:
      break;
  }
  return {};
}

}  // namespace phasewise::exchange
