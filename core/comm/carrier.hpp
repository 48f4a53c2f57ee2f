// The contract of all protocols: a carrier brings the messages of one round of an exchange to other
// ranks, as often as the round is repeated. The protocols' sources are in core/comm/protocols.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "exchange/exchange.hpp"

namespace phasewise::comm {

// The messages of a round that are not empty and go to other ranks, in the order of the exchange.
// If the library takes them from the buffers itself, their data point to the beginnings of the
// buffers.
struct RoundMessages {
  int phase;
  std::span<const Message> sends, receives;
  exchange::ItemBuffer from, to;
};

class Carrier {
 public:
  virtual ~Carrier() = default;
  // Whether it provides memory for messages, which may change with each repetition.
  virtual bool gives_memory() const { return false; }
  // The following two are called before data are packed. They return memory for the i-th message
  // sent or received if the executor's own does not serve; else null.
  virtual std::byte* outgoing(std::size_t /*i*/) { return nullptr; }
  virtual std::byte* incoming(std::size_t /*i*/) { return nullptr; }
  // Whether post waits for other ranks.
  virtual bool blocks() const = 0;
  [[nodiscard]] virtual Pending post(const RoundMessages& messages) = 0;
};

// One round of one exchange on one rank.
struct RoundPlace {
  const Communicator& group;  // its ranks call collective functions together
  exchange::ExchangePointer exchange;
  std::size_t round;

  const exchange::Round& messages() const { return (*exchange->rounds)[round]; }
};

// Returns a sentence if this build, its MPI library or the simulator lacks the protocol; else
// nothing.
std::string unavailable(exchange::Protocol protocol);

// Collective over the group if the protocol needs preparation. Throws std::invalid_argument with
// one sentence, on all ranks, if the protocol is unavailable.
std::unique_ptr<Carrier> make_carrier(const RoundPlace& place);

}  // namespace phasewise::comm
