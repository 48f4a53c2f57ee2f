#include "exchange/partners.hpp"
#include "exchange/rounds.hpp"

namespace phasewise::exchange {

// Every member sends each owner its chunk directly: p - 1 messages of one chunk each way.
Rounds direct_rounds(Schedule schedule, int me, int p) {
  Rounds rounds(meetings(schedule, p));
  for (int k = 1; k <= meetings(schedule, p); ++k) {
    const Partners met = partners(schedule, me, p, k);
    if (met.to == nobody) continue;
    rounds[k - 1].sends.push_back({met.to, {met.to}});
    rounds[k - 1].receives.push_back({met.from, {me}});
  }
  return rounds;
}

}  // namespace phasewise::exchange
