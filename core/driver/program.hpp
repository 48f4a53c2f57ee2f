// A study's turn as a program of all ranks, for the models that follow it in time. A listener
// writes down the rounds and the work, and splits the library's collectives into messages.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "comm/protocol.hpp"
#include "contention/curve.hpp"
#include "contention/program.hpp"
#include "parallel/vector_unit.hpp"
#include "workload/pieces.hpp"

namespace phasewise::driver {

// Seconds to copy a run that shares no cache line with the next one, where runs one stride apart
// span so many bytes; linear between the spans in their logarithm.
struct StridedCopies {
  std::vector<double> spans, seconds;
  double at(double span) const;
};

// What the library's types take of an end of a message beyond one in one piece, if its runs lie
// apart: of a message, and of each run.
struct TypedMessages {
  double message = 0.0;
  StridedCopies runs;
  bool known() const { return !runs.spans.empty(); }
};

// Seconds to copy blocks of these sizes [B], linear between them and beyond: within a rank's
// memory, and into or from that of another rank of the node.
struct BlockCopies {
  std::vector<double> sizes, within, across;
  double within_rank(double size) const { return contention::seconds_along(sizes, within, size); }
  double to_other(double size) const { return contention::seconds_along(sizes, across, size); }
  bool known() const { return !sizes.empty(); }
};

// How long a rank computes, and what its calls to send and receive take. By default no time.
struct Rates {
  // Seconds of a flop, and of a byte moved; a kernel takes the longer of both.
  double flop = 0.0, byte = 0.0;
  parallel::VectorUnit unit;
  // Seconds for each message at either end, beyond its latency, by kind, and for each round.
  comm::Overheads overheads;
  // Seconds that a round takes beyond its messages, by protocol; empty: overheads.round for all.
  std::vector<double> rounds;
  // The same of rounds in which all messages go one way; empty: as of others.
  std::vector<double> one_way;
  // Of runs that lie apart; by default their bytes alone count.
  StridedCopies copies;
  // Of messages by types; by default their runs count as those of copies.
  TypedMessages types;
  // Of blocks; by default their bytes are charged at the memory's bandwidth, and a one-sided
  // message within a node is one of the network.
  BlockCopies blocks;
  // Whether the library's collectives that are started send all their messages at once, as in the
  // simulator, and not in the rounds of those that block.
  bool started_at_once = false;
  // Of messages and puts one way; by default each takes what one alone does.
  contention::Streams streams;
  // Seconds of a flop, or of a byte if the card has no flops, of kernels that were measured, by
  // name and part of the turn.
  std::map<std::pair<std::string, int>, double> kernels;

  double seconds(const parallel::KernelCard& card, double items, int part) const;
  // Of a copy into the memory of another rank of the node, and of a further one behind it if all go
  // one way; what arrives is copied out besides.
  double to_other(double size, bool further) const;
  // Of copies with this memory traffic [B], and of a round beyond its messages.
  double moving(std::int64_t traffic) const;
  double round(comm::Protocol protocol, bool goes_one_way) const;
};

struct ProgramOptions {
  workload::PieceCounts counts;
  Rates rates;
  // 0: everything is written down. Otherwise the largest number of sizes of each series; repeated
  // exchanges are then written down only a few times.
  int max_series = 0;
};

// The program of `rank`. `phases` collects the names to which a round's phase number refers.
contention::RankProgram rank_program(const workload::Workload& study, int rank,
                                     const ProgramOptions& options,
                                     std::vector<std::string>& phases);

// The programs of all ranks. Uses as many pieces as keep the number of messages below
// `max_messages`, but at least three sizes of each series. agreed: all ranks begin the turn
// together, as a bench times it, and not where the turn before has left them. Throws
// std::invalid_argument if there are too many to follow.
contention::Program turn_program(const workload::Workload& study,
                                 const workload::PieceCounts& counts, const Rates& rates,
                                 std::int64_t max_messages, bool agreed = false);

}  // namespace phasewise::driver
