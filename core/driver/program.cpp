#include "driver/program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "driver/followed.hpp"

namespace phasewise::driver {
namespace {

// Enough sizes to interpolate times that are not linear in the size.
constexpr int min_series = 3;
// The largest number of messages that is followed at all.
constexpr std::int64_t too_many_messages = 30'000'000;
// Measured: the time of a core for each message, and the memory for each one that repeats no other.
constexpr double message_seconds = 2.5e-6, message_bytes = 70.0;

struct Length {
  std::int64_t messages, distinct;
};

// Throws std::invalid_argument if the turn is too long.
void check_length(const Length& length) {
  if (length.messages <= too_many_messages) return;
  const double minutes = message_seconds * static_cast<double>(length.messages) / 60.0;
  const double memory = message_bytes * static_cast<double>(length.distinct) / 1e9;
  throw std::invalid_argument(
      "following about " + std::to_string(length.messages / 1'000'000) +
      " million messages would take about " + std::to_string(std::lround(std::ceil(minutes))) +
      " minutes of a core and " + std::to_string(std::lround(std::ceil(memory))) +
      " GB of memory; ask for fewer ranks, or for a model that adds messages up");
}

// A turn of few messages is over before the different starts of the ranks have lost their effect.
// Such a turn is followed several times, with a small spread or none, and only the last times
// count.
constexpr double small_spread = 1.0;          // latencies
constexpr std::int64_t few_messages = 48;     // per rank
constexpr int repetitions = 14, counted = 8;  // 1/counted is exact in a float

// By how much each of the turns that are followed counts. Where the ranks begin together, the first
// turn is not like the later ones: those begin with what the ranks wait for each other at the end
// of a turn. The mean of rates.turns turns has both, and a later turn alone is the second of two.
std::vector<double> weights_of(bool few, const Rates& rates) {
  const int turns = rates.turns;
  if (few && (turns == 0 || turns > repetitions)) {
    std::vector<double> weights(repetitions, 0.0);
    std::fill(weights.end() - counted, weights.end(), 1.0 / counted);
    return weights;
  }
  if (few) return std::vector<double>(turns, 1.0 / turns);
  if (!rates.begins_together || turns == 1) return {1.0};
  if (turns == 0) return {0.0, 1.0};
  return {1.0 / turns, (turns - 1.0) / turns};
}

// Marks the turns that count, less a first one that is not like the others.
void repeat(contention::RankProgram& program, const std::vector<double>& weights,
            bool begins_together) {
  const std::vector<contention::Instruction> turn = std::move(program.instructions);
  const std::vector<contention::RoundSequence> sequences = std::move(program.sequences);
  const std::vector<contention::Computation> computations = std::move(program.computations);
  const std::vector<contention::Wait> waits = std::move(program.waits);
  program.instructions.clear();
  program.sequences.clear();
  program.computations.clear();
  program.waits.clear();
  for (const double weight : weights) {
    const bool first_alone = begins_together && &weight == &weights.front();
    if (weight > 0.0 && !first_alone)
      program.instructions.push_back({contention::Action::mark, 0, 0});
    const auto first = static_cast<int>(program.sequences.size());
    const auto first_computation = static_cast<int>(program.computations.size());
    const auto first_wait = static_cast<int>(program.waits.size());
    for (contention::Instruction instruction : turn) {
      const bool computes = instruction.action == contention::Action::compute;
      const bool waits_one_by_one = instruction.action == contention::Action::wait;
      instruction.number += computes ? first_computation : waits_one_by_one ? first_wait : first;
      program.instructions.push_back(instruction);
    }
    for (contention::Wait wait : waits) {
      wait.weight *= static_cast<float>(weight);
      program.waits.push_back(wait);
    }
    for (contention::RoundSequence sequence : sequences) {
      sequence.weight *= weight;
      program.sequences.push_back(sequence);
    }
    for (contention::Computation computation : computations) {
      computation.weight *= static_cast<float>(weight);
      program.computations.push_back(computation);
    }
  }
  program.instructions.push_back({contention::Action::mark, 0, 0});
}

}  // namespace

double StridedCopies::at(double span) const {
  const auto above = std::upper_bound(spans.begin(), spans.end(), span) - spans.begin();
  if (above == 0) return seconds.front();
  if (above == std::ssize(spans)) return seconds.back();
  const double share =
      std::log(span / spans[above - 1]) / std::log(spans[above] / spans[above - 1]);
  return seconds[above - 1] + share * (seconds[above] - seconds[above - 1]);
}

double Rates::to_other(double size, bool further) const {
  const double one = blocks.to_other(size);
  if (!further || !streams.known()) return one;
  const double within = blocks.within_rank(size);
  return std::max(streams.put(size) - streams.puts.front() - within, std::min(within, one));
}

double Rates::round(exchange::Protocol protocol, bool goes_one_way) const {
  const std::vector<double>& known = goes_one_way && !one_way.empty() ? one_way : rounds;
  return known.empty() ? overheads.round : known[static_cast<std::size_t>(protocol)];
}

// A block is read and written, so that its size is half the traffic.
double Rates::moving(std::int64_t traffic) const {
  const auto bytes = static_cast<double>(traffic);
  return blocks.known() ? blocks.within_rank(0.5 * bytes) : byte * bytes;
}

double Rates::seconds(const parallel::KernelCard& card, double items, int part) const {
  const auto measured = kernels.find(std::pair(std::string(card.name), part));
  if (measured != kernels.end())
    return items * measured->second * (card.flops > 0.0 ? card.flops : card.bytes);
  if (unit.length > 0.0)
    return std::max(charged_flops(card, items, unit) * flop, items * card.bytes * byte);
  return items * std::max(card.flops * flop, card.bytes * byte);
}

contention::RankProgram rank_program(const workload::Workload& study, int rank,
                                     const ProgramOptions& options,
                                     std::vector<std::string>& phases) {
  const bool in_full = options.max_series == 0;
  Followed program(study.ranks(), rank, options, phases);
  const auto turn = study.turn_of(rank);
  const std::vector<workload::Piece> pieces = study.pieces();
  program.count_inside(workload::weights_inside(pieces, options.counts));
  for (const auto& [piece, weight] : workload::representative_pieces(
           pieces, options.counts,
           in_full ? std::numeric_limits<int>::max() : options.max_series)) {
    program.at(piece.part, weight);
    turn->tell(piece, program);
  }
  return program.take();
}

contention::Program turn_program(const workload::Workload& study,
                                 const workload::PieceCounts& counts, const Rates& rates,
                                 std::int64_t max_messages, bool agreed) {
  agreed = agreed || study.once();
  ProgramOptions options{.counts = counts, .rates = rates};
  contention::Program program;
  const auto length_in_all = [&]() -> Length {
    const contention::RankProgram first = rank_program(study, 0, options, program.phases);
    const std::int64_t turns = agreed ? 1 : std::ssize(weights_of(false, rates));
    return {first.messages() * study.ranks() * turns, std::ssize(first.sends) * study.ranks()};
  };
  Length length = length_in_all();
  if (length.messages > max_messages) {
    options.max_series = workload::distinct_sizes(study.pieces());
    length = length_in_all();
  }
  while (options.max_series > min_series && length.messages > max_messages) {
    options.max_series = std::max(min_series, options.max_series * 2 / 3);
    length = length_in_all();
  }
  check_length(length);
  program.ranks.reserve(study.ranks());
  for (int rank = 0; rank < study.ranks(); ++rank) {
    program.ranks.push_back(rank_program(study, rank, options, program.phases));
    program.messages += program.ranks.back().messages();
  }
  if (agreed) {
    program.spread = 0.0;
    return program;
  }
  const bool few = program.messages > 0 && program.messages <= few_messages * study.ranks();
  if (few || rates.begins_together) program.spread = rates.begins_together ? 0.0 : small_spread;
  const std::vector<double> weights = weights_of(few, rates);
  if (weights.size() > 1)
    for (contention::RankProgram& rank : program.ranks)
      repeat(rank, weights, rates.begins_together);
  program.messages *= std::ssize(weights);
  return program;
}

}  // namespace phasewise::driver
