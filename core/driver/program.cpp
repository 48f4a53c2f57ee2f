#include "driver/program.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "driver/followed.hpp"

namespace phasewise::driver {
namespace {

// Enough sizes to interpolate times that are not linear in the size.
constexpr int min_series = 3;
// Most messages that are followed at all.
constexpr std::int64_t too_many_messages = 30'000'000;
constexpr double message_bytes = 120.0;  // of memory that a message takes, measured

// Throws std::invalid_argument.
void check_memory(std::int64_t messages) {
  if (messages <= too_many_messages) return;
  throw std::invalid_argument(
      "following about " + std::to_string(messages / 1'000'000) + " million messages would take " +
      std::to_string(static_cast<int>(message_bytes * static_cast<double>(messages) / 1e9)) +
      " GB of memory; ask for fewer ranks, or for a model that adds messages up");
}

}  // namespace

double Rates::seconds(const parallel::KernelCard& card, double items, int part) const {
  const auto measured = kernels.find(std::pair(std::string(card.name), part));
  if (measured != kernels.end())
    return items * measured->second * (card.flops > 0.0 ? card.flops : card.bytes);
  return items * std::max(card.flops * flop, card.bytes * byte);
}

contention::RankProgram rank_program(const workload::Workload& study, int rank,
                                     const ProgramOptions& options,
                                     std::vector<std::string>& phases) {
  const bool in_full = options.max_series == 0;
  Followed program(study.ranks(), rank, options, phases);
  const auto turn = study.turn_of(rank);
  for (const auto& [piece, weight] : workload::representative_pieces(
           study.pieces(), options.counts,
           in_full ? std::numeric_limits<int>::max() : options.max_series)) {
    program.at(piece.part, weight);
    turn->tell(piece, program);
  }
  return program.take();
}

contention::Program turn_program(const workload::Workload& study,
                                 const workload::PieceCounts& counts, const Rates& rates,
                                 std::int64_t max_messages) {
  ProgramOptions options{.counts = counts, .rates = rates};
  contention::Program program;
  const auto messages_in_all = [&] {
    const contention::RankProgram first = rank_program(study, 0, options, program.phases);
    return first.messages() * study.ranks();
  };
  std::int64_t messages = messages_in_all();
  if (messages > max_messages) {
    options.max_series = workload::distinct_sizes(study.pieces());
    messages = messages_in_all();
  }
  while (options.max_series > min_series && messages > max_messages) {
    options.max_series = std::max(min_series, options.max_series * 2 / 3);
    messages = messages_in_all();
  }
  check_memory(messages);
  program.ranks.reserve(study.ranks());
  for (int rank = 0; rank < study.ranks(); ++rank) {
    program.ranks.push_back(rank_program(study, rank, options, program.phases));
    program.messages += program.ranks.back().messages();
  }
  return program;
}

}  // namespace phasewise::driver
