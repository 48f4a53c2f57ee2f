// The parameters of COMMTEST: messages between pairs of ranks, as Worley measures them ("Cray X1
// Optimization: A Customer's Perspective", CUG 2004), in three operators.
#pragma once

#include <cstdint>
#include <vector>

#include "commtest/pairs.hpp"
#include "exchange/protocol.hpp"
#include "workload/parameters.hpp"

namespace phasewise::commtest {

// swap: both ranks of a pair send at once. echo: the leader sends, and gets the same bytes back.
// stream: the leader sends `window` messages, and gets an answer of 8 bytes.
enum class Operator : std::uint8_t { swap, echo, stream };

// How the ranks of a pair exchange.
struct Manner {
  exchange::Protocol protocol = exchange::Protocol::irecv_isend;
  std::int64_t packet = 0;  // bytes of a message's pieces; 0: the message is one piece
};

struct Description {
  // Throws std::invalid_argument with one sentence if the parameters cannot be used.
  explicit Description(const workload::Parameters& parameters);

  Operator operation = Operator::swap;
  std::int64_t bytes = 8;  // of a message
  int window = 1;          // pieces under way at once, and the messages of a stream
  std::vector<PairRange> pairs;
  bool verify = true;  // whether every byte that arrives is checked
  Manner manner;

  // Messages one way in an exchange.
  int messages() const { return operation == Operator::stream ? window : 1; }
};

// Throws std::invalid_argument if a message of this description would have too many pieces.
Manner read_manner(const workload::Parameters& parameters, const Description& description);

}  // namespace phasewise::commtest
