#include "driver/phase_messages.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "driver/program.hpp"

namespace phasewise::driver {
namespace {

using contention::ProgramRound;
using contention::RankProgram;

// Uses all pieces of each series: the number of messages grows with a piece's size in jumps, and in
// pieces of one size different ranks are at work.
constexpr int max_series = std::numeric_limits<int>::max();

// Builds each rank's program once.
class Programs {
 public:
  Programs(const workload::Workload& study, const workload::PieceCounts& counts)
      : study_(study), options_{.counts = counts, .rates = {}, .max_series = max_series} {}

  const RankProgram& of(int rank) {
    auto [found, made] = programs_.try_emplace(rank);
    if (made) found->second = rank_program(study_, rank, options_, names_);
    return found->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  const workload::Workload& study_;
  ProgramOptions options_;
  std::vector<std::string> names_;
  std::map<int, RankProgram> programs_;
};

using Sent = std::pair<double, double>;  // messages, bytes

std::vector<Sent> sent_in_phases(const RankProgram& program, std::size_t phases) {
  std::vector<Sent> sent(phases);
  for (const ProgramRound& round : program.rounds)
    for (const contention::Send& send : program.sends_of(round)) {
      sent[round.phase].first += round.weight;
      sent[round.phase].second += round.weight * static_cast<double>(send.bytes);
    }
  return sent;
}

std::vector<const ProgramRound*> rounds_of(const RankProgram& program, int phase) {
  std::vector<const ProgramRound*> rounds;
  for (const ProgramRound& round : program.rounds)
    if (round.phase == phase) rounds.push_back(&round);
  return rounds;
}

// For each round, the number of messages that the ranks of this rank's node send within the node,
// and to other nodes.
std::vector<std::array<int, 2>> active_in_rounds(const workload::Workload& study, int node_size,
                                                 Programs& programs, int rank, int phase) {
  std::vector<std::array<int, 2>> active;
  for (int mate = 0; mate < study.ranks(); ++mate) {
    if (mate / node_size != rank / node_size) continue;
    const RankProgram& program = programs.of(mate);
    const auto rounds = rounds_of(program, phase);
    active.resize(std::max(active.size(), rounds.size()));
    for (std::size_t i = 0; i < rounds.size(); ++i)
      for (const contention::Send& send : program.sends_of(*rounds[i]))
        ++active[i][send.peer / node_size == mate / node_size ? 0 : 1];
  }
  return active;
}

PhaseMessages messages_of(const workload::Workload& study, int node_size, Programs& programs,
                          int rank, int phase) {
  PhaseMessages result;
  result.name = programs.names()[phase];
  result.rank = rank;
  const auto active = active_in_rounds(study, node_size, programs, rank, phase);
  const RankProgram& own = programs.of(rank);
  const auto rounds = rounds_of(own, phase);
  using Kind = std::tuple<std::int64_t, int, std::int64_t, std::int64_t>;
  std::map<Kind, double> kinds;
  for (std::size_t i = 0; i < rounds.size(); ++i)
    for (const contention::Send& send : own.sends_of(*rounds[i])) {
      const int inter = send.peer / node_size == rank / node_size ? 0 : 1;
      kinds[{send.bytes, inter, std::abs(send.peer - rank), active[i][inter]}] += rounds[i]->weight;
    }
  for (const auto& [kind, count] : kinds) {
    result.bytes.push_back(std::get<0>(kind));
    result.inter.push_back(static_cast<std::uint8_t>(std::get<1>(kind)));
    result.distance.push_back(std::get<2>(kind));
    result.active.push_back(std::get<3>(kind));
    result.count.push_back(count);
  }
  return result;
}

}  // namespace

std::vector<PhaseMessages> phase_messages(const workload::Workload& study, int node_size,
                                          const workload::PieceCounts& counts) {
  Programs programs(study, counts);
  std::vector<Sent> largest;
  std::vector<int> whose;
  for (const int rank : study.typical_ranks()) {
    const RankProgram& program = programs.of(rank);
    const std::vector<Sent> sent = sent_in_phases(program, programs.names().size());
    largest.resize(sent.size());
    whose.resize(sent.size(), rank);
    for (std::size_t phase = 0; phase < sent.size(); ++phase)
      if (sent[phase] > largest[phase])
        std::tie(largest[phase], whose[phase]) = std::pair(sent[phase], rank);
  }
  std::vector<PhaseMessages> result;
  for (int phase = 0; phase < std::ssize(largest); ++phase)
    if (largest[phase].first > 0.0)
      result.push_back(messages_of(study, node_size, programs, whose[phase], phase));
  return result;
}

}  // namespace phasewise::driver
