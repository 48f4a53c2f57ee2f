#include "exchange/rounds.hpp"

namespace phasewise::exchange {

// The block in slot i has to move on by i members, in steps of the powers of two that make up i.
// That takes ceil(log2 p) messages of about p/2 blocks. Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE
// Trans. Parallel Distrib. Syst. 8 (1997) 1143, with radix 2.
Rounds bruck_rounds(int me, int p) {
  Rounds rounds;
  for (int distance = 1; distance < p; distance *= 2) {
    std::vector<int> slots;
    for (int first = distance; first < p; first += 2 * distance)
      for (int slot = first; slot < first + distance && slot < p; ++slot) slots.push_back(slot);
    Round round;
    round.sends.push_back({(me + distance) % p, slots});
    round.receives.push_back({(me - distance + p) % p, std::move(slots)});
    rounds.push_back(std::move(round));
  }
  return rounds;
}

}  // namespace phasewise::exchange
