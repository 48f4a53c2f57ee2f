// Measures the machine's messages. A script from Python says who sends to whom, in which sizes and
// how often; any script runs on real machines and on simulated ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasewise::probe {

// exchange: every rank sends one message and receives one at the same time. bounce: the lower rank
// of a pair sends and the other one answers; the time is half of that of the round trip.
enum class Kind { exchange, bounce };

struct Pattern {
  Kind kind = Kind::exchange;
  std::vector<std::int64_t> sizes;  // B
  std::vector<int> to, from;        // per rank; -1: nobody
};

struct Script {
  std::uint64_t seed = 1;  // decides the order of sizes and patterns
  // Each size of a pattern is repeated as often as fits into `seconds`; a warm-up of `warm_up`
  // exchanges measures how long one takes. Without a warm-up it is repeated max_repetitions times.
  int warm_up = 0, min_repetitions = 1, max_repetitions = 1;
  double seconds = 0.0;
  // Used without a warm-up: the seconds from one start to the next, and what each byte adds.
  double window = 1.0, window_per_byte = 0.0;
  bool roof = false;       // measure every rank's own roof while all ranks compute
  bool exchanges = false;  // measure an exchange of two ranks by every protocol
  bool bare = false;       // measure an exchange of two ranks by bare calls of MPI
  bool threads = false;    // tell MPI that the program has several threads
  std::vector<Pattern> patterns;

  // Each line has a word and its values: seed N, warm_up N, repetitions LEAST MOST, seconds S,
  // window S S/B, roof, exchanges, bare, threads; and for each pattern: pattern exchange|bounce,
  // sizes …, to …, from …. Throws std::invalid_argument with one sentence.
  static Script parse(std::string_view text);
};

// Collective over all ranks. Rank 0 writes samples.jsonl into the folder `out`: first a line with
// the node of each rank, then the roof, the exchanges and the bare exchange, then for each pattern
// and size the values of each repetition: `seconds` (the longest of the ranks that take part),
// `skew` (from the first rank's start to the last one's) and `missed` (whether a rank came after
// the agreed start). Throws std::invalid_argument if a pattern does not fit the ranks,
// std::runtime_error if the file cannot be written.
void measure_patterns(const Script& script, const std::string& out);

}  // namespace phasewise::probe
