// What messages cost the processors that send and receive them, beyond the time that a single one
// takes on its way: the calls of the executor and of the library.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/protocol.hpp"

namespace phasewise::probe {

struct CallCosts {
  // Seconds for each message at either end, by kind of call; 0 where that kind cannot be used.
  std::array<double, comm::overheads> message{};
  // Seconds that a message which goes alone takes longer in a planned exchange than between bare
  // calls of MPI.
  double round = 0.0;
  // Seconds to put blocks (block_sizes) into the other rank's memory, beyond what an exchange of 8
  // bytes takes and the copy out of the window.
  std::vector<double> puts;
  // Seconds that a message's end takes longer where the library gathers words that lie apart, or
  // scatters them: of a message, and of each word, in those of squares.
  double types_message = 0.0;
  std::vector<double> types_word;
  // Seconds of a further message, and of a further put, of stream_sizes, one way.
  std::vector<double> stream_messages, stream_puts;
};

// Seconds of 8 bytes each way between ranks 0 and 1, at once and there and back, by protocol; 0
// where it cannot be used.
struct Exchanges {
  std::array<double, comm::protocols> exchange{}, echo{};
};

// Sizes of streams [B], increasing.
std::vector<std::int64_t> stream_sizes();

// Collective. Ranks 0 and 1 exchange one message each way, and many at once, one exchange right
// behind another; each further message takes the calls of a send and a receive. copies: seconds of
// a block's copy within a rank's memory. The costs are known on rank 0.
CallCosts measure_calls(const comm::Communicator& world, comm::Recorder& recorder,
                        std::span<const double> copies);

// Collective. Known on rank 0.
Exchanges measure_exchanges(const comm::Communicator& world, comm::Recorder& recorder);

}  // namespace phasewise::probe
