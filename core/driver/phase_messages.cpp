#include "driver/phase_messages.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "driver/program.hpp"

namespace phasewise::driver {
namespace {

using contention::ProgramRound;
using contention::RankProgram;

// Uses all pieces of each series: the number of messages grows with a piece's size in jumps, and
// different ranks are active in pieces of the same size.
constexpr int max_series = std::numeric_limits<int>::max();

// Programs with at most this many messages are kept, which take 200 MB.
constexpr std::size_t most_kept = 2'000'000;

// Builds the programs of ranks, and keeps them until they have too many messages.
class Programs {
 public:
  Programs(const workload::Workload& study, const workload::PieceCounts& counts)
      : study_(study), options_{.counts = counts, .rates = {}, .max_series = max_series} {
    options_.rates.byte = 1.0;  // so that copies are given in bytes
  }

  std::shared_ptr<const RankProgram> of(int rank) {
    if (const auto found = kept_.find(rank); found != kept_.end()) return found->second;
    const auto made =
        std::make_shared<const RankProgram>(rank_program(study_, rank, options_, names_));
    messages_ += made->sends.size();
    if (messages_ <= most_kept) kept_.emplace(rank, made);
    return made;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  const workload::Workload& study_;
  ProgramOptions options_;
  std::vector<std::string> names_;
  std::map<int, std::shared_ptr<const RankProgram>> kept_;
  std::size_t messages_ = 0;  // of all programs built so far
};

using Sent = std::pair<double, double>;  // messages, bytes

std::vector<Sent> sent_in_phases(const RankProgram& program, std::size_t phases) {
  std::vector<Sent> sent(phases);
  program.each_round([&](const ProgramRound& round, float weight) {
    for (const contention::Send& send : program.sends_of(round)) {
      sent[round.phase].first += weight;
      sent[round.phase].second += weight * static_cast<double>(send.bytes);
    }
  });
  return sent;
}

constexpr std::size_t levels = 3;
// A number for each level.
using ByLevel = std::array<int, levels>;

std::size_t index(contention::Level level) { return static_cast<std::size_t>(level); }

// For each round of each phase, how many ranks send messages of each level beside a rank: those of
// its socket, or those of its adapter if the messages leave the node.
using Active = std::vector<std::vector<ByLevel>>;

Active active_in_rounds(const workload::Workload& study, const contention::NodeShape& node,
                        Programs& programs, int rank) {
  Active active;
  const int first = node.node_of(rank) * node.ranks;
  for (int mate = first; mate < std::min(first + node.ranks, study.ranks()); ++mate) {
    const int socket = node.socket_of(mate) == node.socket_of(rank) ? 1 : 0;
    const int adapter = node.adapter_of(mate) == node.adapter_of(rank) ? 1 : 0;
    const ByLevel shared{socket, socket, adapter};
    const auto program = programs.of(mate);
    active.resize(programs.names().size());
    std::vector<std::size_t> met(active.size(), 0);  // number of rounds of each phase so far
    program->each_round([&](const ProgramRound& round, float /*weight*/) {
      const std::size_t number = met[round.phase]++;
      auto& of_phase = active[round.phase];
      if (number == of_phase.size()) of_phase.push_back({});
      ByLevel sends{};
      for (const contention::Send& send : program->sends_of(round)) {
        const std::size_t level = index(contention::level_of(node, mate, send.peer));
        sends[level] = shared[level];
      }
      for (std::size_t level = 0; level < levels; ++level) of_phase[number][level] += sends[level];
    });
  }
  return active;
}

PhaseMessages messages_of(const RankProgram& own, const Active& active,
                          const contention::NodeShape& node, int rank, int phase) {
  PhaseMessages result;
  result.rank = rank;
  using Kind = std::tuple<std::int64_t, int, int, std::int64_t, std::int64_t, std::int64_t>;
  std::map<Kind, double> kinds;
  std::size_t number = 0;
  own.each_round([&](const ProgramRound& round, float weight) {
    if (round.phase != phase) return;
    result.copied += weight * (round.packing + round.storing);
    ByLevel together{};
    for (const contention::Send& send : own.sends_of(round))
      ++together[index(contention::level_of(node, rank, send.peer))];
    for (const contention::Send& send : own.sends_of(round)) {
      const contention::Level level = contention::level_of(node, rank, send.peer);
      const int inter = level == contention::Level::between ? 1 : 0;
      const int across = level == contention::Level::across ? 1 : 0;
      kinds[{send.bytes, inter, across, std::abs(send.peer - rank),
             active[phase][number][index(level)], together[index(level)]}] += weight;
    }
    ++number;
  });
  for (const auto& [kind, count] : kinds) {
    result.bytes.push_back(std::get<0>(kind));
    result.inter.push_back(static_cast<std::uint8_t>(std::get<1>(kind)));
    result.across.push_back(static_cast<std::uint8_t>(std::get<2>(kind)));
    result.distance.push_back(std::get<3>(kind));
    result.active.push_back(std::get<4>(kind));
    result.together.push_back(std::get<5>(kind));
    result.count.push_back(count);
  }
  return result;
}

}  // namespace

std::vector<PhaseMessages> phase_messages(const workload::Workload& study,
                                          const contention::NodeShape& node,
                                          const workload::PieceCounts& counts) {
  Programs programs(study, counts);
  std::vector<Sent> largest;
  std::vector<int> whose;
  for (const int rank : study.typical_ranks()) {
    const auto program = programs.of(rank);
    const std::vector<Sent> sent = sent_in_phases(*program, programs.names().size());
    largest.resize(sent.size());
    whose.resize(sent.size(), rank);
    for (std::size_t phase = 0; phase < sent.size(); ++phase)
      if (sent[phase] > largest[phase])
        std::tie(largest[phase], whose[phase]) = std::pair(sent[phase], rank);
  }
  std::vector<PhaseMessages> result(largest.size());
  for (const int rank : std::set<int>(whose.begin(), whose.end())) {
    const auto own = programs.of(rank);
    const Active active = active_in_rounds(study, node, programs, rank);
    for (int phase = 0; phase < std::ssize(largest); ++phase)
      if (whose[phase] == rank) {
        result[phase] = messages_of(*own, active, node, rank, phase);
        result[phase].name = programs.names()[phase];
      }
  }
  std::erase_if(result, [](const PhaseMessages& phase) { return phase.count.empty(); });
  return result;
}

}  // namespace phasewise::driver
