// What a rank can do while all ranks work: its roof, the costs of its calls to send and receive,
// and of its strided copies.
#pragma once

#include <ostream>

#include "comm/communicator.hpp"
#include "probe/calls.hpp"
#include "probe/copies.hpp"
#include "probe/roof.hpp"

namespace phasewise::probe {

struct Rates {
  Roof roof{};
  CallCosts calls;
  StridedCopies copies;
  std::vector<double> blocks;  // seconds to copy blocks of block_sizes
};

// Collective. The results are means over the ranks; those of calls are rank 0's. Known on rank 0.
Rates measure_rates(const comm::Communicator& world, comm::Recorder& recorder);

// Writes one line of JSON: `roof` with flops and bandwidth; `calls` with the list message, and
// round; `copies` with spans and seconds, and sizes, within and across; `types` with spans, seconds
// and message; `streams` with sizes, messages and puts.
void write_rates(std::ostream& file, const Rates& rates);

// Writes another line: `exchanges` with the lists exchange and echo.
void write_exchanges(std::ostream& file, const Exchanges& exchanges);

}  // namespace phasewise::probe
