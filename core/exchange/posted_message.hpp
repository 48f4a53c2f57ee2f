// One end of a message that a program posts by itself, as data: a program that was recorded tells
// its messages one by one, and names each by a request when it waits for it.
#pragma once

#include <cstdint>
#include <string_view>

namespace phasewise::exchange {

// What stands in the place of a request: the call that posts the message returns when it is done,
// or nobody waits for it.
inline constexpr int blocking_call = -1, never_awaited = -2;

struct PostedMessage {
  std::string_view phase;
  bool sends = true;         // or it receives
  bool synchronous = false;  // a send that waits for its receive, however short it is
  int peer = 0;              // among all ranks
  std::int64_t bytes = 0;
  int tag = 0;  // messages between two ranks with the same tag match in order
  int request = blocking_call;
};

}  // namespace phasewise::exchange
