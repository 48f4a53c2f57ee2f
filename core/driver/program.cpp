#include "driver/program.hpp"

#include <algorithm>
#include <limits>

#include "driver/followed.hpp"

namespace phasewise::driver {
namespace {

// Enough sizes to interpolate times that are not linear in the size.
constexpr int min_series = 3;

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
  const auto too_many = [&] {
    const contention::RankProgram first = rank_program(study, 0, options, program.phases);
    return std::ssize(first.sends) * study.ranks() > max_messages;
  };
  if (too_many()) options.max_series = workload::distinct_sizes(study.pieces());
  while (options.max_series > min_series && too_many())
    options.max_series = std::max(min_series, options.max_series * 2 / 3);
  program.ranks.reserve(study.ranks());
  for (int rank = 0; rank < study.ranks(); ++rank) {
    program.ranks.push_back(rank_program(study, rank, options, program.phases));
    options.like = &program.ranks.back();
  }
  contention::match(program);
  return program;
}

}  // namespace phasewise::driver
