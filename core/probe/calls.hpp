// What messages cost the processors that send and receive them, beyond the time that a single
// message takes on its way: the calls of the executor and of the library.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "exchange/protocol.hpp"

namespace phasewise::probe {

struct CallCosts {
  // The seconds of each message at either end, by kind of call; 0 if that kind cannot be used.
  std::array<double, exchange::overheads> message{};
  // The seconds that a single message takes longer in a planned exchange than between plain calls
  // of MPI.
  double round = 0.0;
  // The seconds that the library takes longer to find the largest of one value on two ranks than
  // plain calls that exchange it.
  double collective = 0.0;
  // The seconds to put blocks (block_sizes) into the other rank's memory, beyond an exchange of 8
  // bytes and the copy out of the window.
  std::vector<double> puts;
  // The seconds that one end of a message takes longer if the library gathers or scatters words
  // that lie apart: once per message, and for each word in each of the squares.
  double types_message = 0.0;
  std::vector<double> types_word;
  // The seconds of each further message, and of each further put, of stream_sizes in one direction.
  std::vector<double> stream_messages, stream_puts;
};

// The seconds of 8 bytes each way between ranks 0 and 1, at the same time (`exchange`) and there
// and back (`echo`), by protocol; 0 if it cannot be used.
struct Exchanges {
  std::array<double, exchange::protocols> exchange{}, echo{};
};

// The sizes of streams [B], increasing.
std::vector<std::int64_t> stream_sizes();

// Collective. Ranks 0 and 1 exchange one message each way, and many at once, one exchange directly
// after another; each further message takes the calls of a send and a receive. `copies` are the
// seconds of a block's copy within a rank's memory. The costs are known on rank 0.
CallCosts measure_calls(const comm::Communicator& world, comm::Recorder& recorder,
                        std::span<const double> copies);

// Collective. The seconds of a short message each way between ranks 0 and 1 at the same time, by
// bare calls of MPI; 0 for one rank. Known on rank 0.
double measure_bare_exchange(const comm::Communicator& world, comm::Recorder& recorder);

// Collective. Known on rank 0.
Exchanges measure_exchanges(const comm::Communicator& world, comm::Recorder& recorder);

}  // namespace phasewise::probe
