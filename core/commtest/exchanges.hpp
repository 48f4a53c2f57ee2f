// One rank's part in an exchange of its pair, and where the messages lie in its memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "commtest/description.hpp"
#include "exchange/exchange.hpp"
#include "parallel/cache_line.hpp"

namespace phasewise::commtest {

namespace phases {
inline constexpr std::string_view swap = "swap", echo = "echo", stream = "stream";
}
std::string_view phase_of(Operator operation);

inline constexpr std::int64_t answer_bytes = 8;  // of a stream

// The memory of a rank: the messages that it makes, the messages that arrive, then the answer that
// it makes and the one that arrives. Each begins on a cache line of its own. What an echo brings
// back arrives where it was sent from, as in other such tests, unless it is verified.
struct Memory {
  explicit Memory(const Description& description);

  std::int64_t made(int message) const { return message * stride; }
  std::int64_t arrived(int message) const { return (first_arrived + message) * stride; }
  std::int64_t answer_made() const { return (first_arrived + messages) * stride; }
  std::int64_t answer_arrived() const { return answer_made() + parallel::cache_line; }
  std::int64_t bytes() const { return answer_arrived() + parallel::cache_line; }

  std::int64_t stride;  // from one message to the next
  std::int64_t messages, first_arrived;
};

// A message goes in pieces, `window` of them in a round. A rank without a partner has equally many
// rounds, all empty, since some protocols are collective. nodes: the node of each rank. Without
// checks a swap sends what the preceding swap brought, so that every message holds new data: there
// are two exchanges, which take turns.
exchange::Exchanges exchanges_of(const Description& description, const Manner& manner,
                                 const Role& role, const std::vector<int>& nodes, int rank);

}  // namespace phasewise::commtest
