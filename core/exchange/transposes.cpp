#include "exchange/partners.hpp"
#include "exchange/rounds.hpp"

namespace phasewise::exchange {
namespace {

Rounds straight_rounds(Schedule schedule, int me, int p) {
  Rounds rounds(meetings(schedule, p));
  for (int k = 1; k <= meetings(schedule, p); ++k) {
    const Partners met = partners(schedule, me, p, k);
    if (met.to == nobody) continue;
    rounds[k - 1].sends.push_back({met.to, {met.to}});
    rounds[k - 1].receives.push_back({met.from, {met.from}});
  }
  return rounds;
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
