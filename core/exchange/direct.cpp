#include "exchange/partners.hpp"
#include "exchange/rounds.hpp"

namespace phasewise::exchange {

// Every member sends each owner its chunk directly: p - 1 messages of one chunk each way.
Rounds direct_rounds(Schedule schedule, int me, int p) {
  return meeting_rounds(
      schedule, me, p,
      [](int to) {
        return Transfer{to, {to}};
      },
      [me](int from) {
        return Transfer{from, {me}};
      });
}

}  // namespace phasewise::exchange
