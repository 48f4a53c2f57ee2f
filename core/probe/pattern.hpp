// The machine's messages, measured: who sends to whom, in which sizes, how often. Python decides on
// the patterns and this executes any of them, on real machines and on simulated ones alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasewise::probe {

// exchange: everyone sends one message and receives one, at once. bounce: the lower rank of a pair
// sends, the other one answers; its time is half of that.
enum class Kind { exchange, bounce };

struct Pattern {
  Kind kind = Kind::exchange;
  std::vector<std::int64_t> sizes;  // B
  std::vector<int> to, from;        // of each rank, -1: none
};

struct Plan {
  std::uint64_t seed = 1;  // of the order in which sizes and patterns come
  // Repetitions of one size of one pattern, as many as fit into `seconds` after the warm-up, which
  // finds how long one takes. Without a warm-up `most` repetitions are made.
  int warm_up = 0, least = 1, most = 1;
  double seconds = 0.0;
  // Without a warm-up: from one start to the next, so many seconds and more for each byte.
  double window = 1.0, window_per_byte = 0.0;
  bool roof = false;  // measure every rank's own roof, all ranks at work
  std::vector<Pattern> patterns;

  // Lines of a word and its values: seed N, warm_up N, repetitions LEAST MOST, seconds S, window S
  // S/B, roof; and for each pattern: pattern exchange|bounce, sizes …, to …, from …. Throws
  // std::invalid_argument, one sentence.
  static Plan parse(std::string_view text);
};

// Collective over all ranks. Rank 0 writes samples.jsonl into the folder `out`: first a line with
// the node of each rank, then the roof, then for each pattern and size `seconds` (the longest of
// the ranks that take part), `skew` (from the first rank's start to the last one's) and `missed`
// (whether a rank came after the agreed start) of each repetition. Throws std::invalid_argument
// where a pattern does not suit the ranks, std::runtime_error where the file cannot be written.
void measure_patterns(const Plan& plan, const std::string& out);

}  // namespace phasewise::probe
