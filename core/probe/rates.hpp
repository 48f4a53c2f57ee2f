// What a rank can do while all ranks work: its roof, what its calls to send and receive take, and
// its strided copies.
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
  std::vector<double> blocks;  // seconds to copy those of block_sizes
};

// Collective; means over the ranks, of calls those of rank 0. Known on rank 0.
Rates measure_rates(const comm::Communicator& world, comm::Recorder& recorder);

// One line of JSON: `roof` with flops and bandwidth; `calls` with the list message, and round;
// `copies` with spans and seconds, and sizes, within and across; `types` with spans, seconds and
// message; `streams` with sizes, messages and puts.
void write_rates(std::ostream& file, const Rates& rates);

// Another one: `exchanges` with the lists exchange and echo.
void write_exchanges(std::ostream& file, const Exchanges& exchanges);

}  // namespace phasewise::probe
