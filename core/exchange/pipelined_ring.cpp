#include "exchange/rounds.hpp"

namespace phasewise::exchange {

// Chunk i begins at member i + 1, and each member that it passes adds its own values.
Rounds pipelined_ring_rounds(int me, int p) {
  require_member(me, p);
  Rounds result;
  for (int k = 0; k + 1 < p; ++k) {
    const int sent = (me + 2 * p - 1 - k) % p, received = (me + 2 * p - 2 - k) % p;
    result.push_back({{{(me + 1) % p, {sent}}}, {{(me + p - 1) % p, {received}}}});
  }
  return result;
}

}  // namespace phasewise::exchange
