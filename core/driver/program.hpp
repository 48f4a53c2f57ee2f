// A study's turn as a program of all ranks, for the models that follow it in time. A listener
// writes down the rounds and the work, and splits the library's collectives into messages.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "contention/curve.hpp"
#include "contention/program.hpp"
#include "exchange/protocol.hpp"
#include "parallel/vector_unit.hpp"
#include "workload/pieces.hpp"

namespace phasewise::driver {

// The seconds to copy one of many runs that share no cache line, by the bytes that the runs span in
// memory. Between two spans they are linear in the logarithm of the span.
struct StridedCopies {
  std::vector<double> spans, seconds;
  double at(double span) const;
};

// What one end of a message with the library's types takes longer than a contiguous one if its runs
// lie apart: once per message, and for each run.
struct TypedMessages {
  double message = 0.0;
  StridedCopies runs;
  bool known() const { return !runs.spans.empty(); }
};

// The seconds to copy blocks of these sizes [B], interpolated and extrapolated linearly: within a
// rank's memory, and into or out of the memory of another rank of the node.
struct BlockCopies {
  std::vector<double> sizes, within, across;
  double within_rank(double size) const { return contention::seconds_along(sizes, within, size); }
  double to_other(double size) const { return contention::seconds_along(sizes, across, size); }
  bool known() const { return !sizes.empty(); }
};

// How long a rank computes, and how long its calls to send and receive take; by default no time.
struct Rates {
  // The seconds per flop and per byte moved; a kernel takes the longer of the two times.
  double flop = 0.0, byte = 0.0;
  parallel::VectorUnit unit;
  // The seconds of each message at either end, beyond its latency, by kind, and of each round.
  exchange::Overheads overheads;
  // The seconds of a round beyond its messages, by protocol; if empty, overheads.round for all.
  std::vector<double> rounds;
  // The same for rounds in which all messages go one way; if empty, these cost what other rounds
  // cost.
  std::vector<double> one_way;
  // The costs of copying runs that lie apart; by default only their bytes count.
  StridedCopies copies;
  // The costs of messages with the library's types; by default their runs cost what copied runs
  // cost.
  TypedMessages types;
  // The costs of copying blocks. By default their bytes are charged at the memory's bandwidth, and
  // a one-sided message within a node costs what the network model says.
  BlockCopies blocks;
  // Whether the library's nonblocking collectives send all their messages at once, as in the
  // simulator, instead of in the rounds of the blocking ones.
  bool started_at_once = false;
  // Whether a run's ranks begin together, as in the simulator, so that turns of few messages are
  // followed from there; otherwise their starts lie apart.
  bool begins_together = false;
  // The number of first turns of a run whose mean is wanted; 0: a turn of a long run.
  int turns = 0;
  // The costs of streams of messages and puts in one direction; by default each message costs what
  // a single one costs.
  contention::Streams streams;
  // The measured seconds per flop, or per byte if the card has no flops, of a kernel, by name and
  // part of the turn.
  std::map<std::pair<std::string, int>, double> kernels;

  double seconds(const parallel::KernelCard& card, double items, int part) const;
  // The seconds of a copy into the memory of another rank of the node. `further` means that it
  // follows another copy and all go one way. The receiver's copy out of that memory is charged to
  // the receiver.
  double to_other(double size, bool further) const;
  // The seconds of copies with this memory traffic [B], and of a round beyond its messages.
  double moving(std::int64_t traffic) const;
  double round(exchange::Protocol protocol, bool goes_one_way) const;
};

struct ProgramOptions {
  workload::PieceCounts counts;
  Rates rates;
  // 0: everything is written down. Otherwise this is the largest number of different sizes of each
  // series, and repeated exchanges are written down only a few times.
  int max_series = 0;
};

// The program of `rank`. `phases` collects the names that the phase numbers of rounds refer to.
contention::RankProgram rank_program(const workload::Workload& study, int rank,
                                     const ProgramOptions& options,
                                     std::vector<std::string>& phases);

// The programs of all ranks, with as many pieces as keep the number of messages below
// `max_messages`, but at least three sizes of each series. With `agreed` all ranks begin the turn
// together, as in a bench, instead of where the preceding turn has left them. Throws
// std::invalid_argument if there are too many messages to follow.
contention::Program turn_program(const workload::Workload& study,
                                 const workload::PieceCounts& counts, const Rates& rates,
                                 std::int64_t max_messages, bool agreed = false);

}  // namespace phasewise::driver
