#include "driver/round_costs.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "driver/followed.hpp"

namespace phasewise::driver {
namespace {

struct Message {
  int from, to;
  std::int64_t bytes;
};

// The rounds of all ranks that are entered at the same time.
struct Together {
  double weight = 0.0;
  bool library = false;
  std::vector<Message> messages;
};

// The key is the phase, and the place among the rounds of that phase in a piece.
using PieceRounds = std::map<std::pair<int, int>, Together>;

class Costs {
 public:
  Costs(int ranks, const contention::Network& network, const contention::Protocol& protocol)
      : network_(network),
        protocol_(protocol),
        loads_(network.capacities().size()),
        longest_(static_cast<std::size_t>(ranks)) {}

  void add(const Together& round, PhaseCosts& phase) {
    std::fill(loads_.begin(), loads_.end(), 0.0);
    std::fill(longest_.begin(), longest_.end(), Cost{});
    for (const Message& message : round.messages) {
      const auto timing = find(message);
      for (const int link : route_.links) loads_[link] += timing.amount;
    }
    for (const Message& message : round.messages) {
      const Cost cost = cost_of(message);
      for (const int rank : {message.from, message.to})
        if (longest_[rank].seconds() < cost.seconds()) longest_[rank] = cost;
    }
    const auto most =
        std::max_element(longest_.begin(), longest_.end(),
                         [](const Cost& a, const Cost& b) { return a.seconds() < b.seconds(); });
    count(*most, round.weight, phase.longest);
    for (const Cost& cost : longest_)
      count(cost, round.weight / static_cast<double>(longest_.size()), phase.mean);
  }

 private:
  struct Cost {
    bool between = false;
    double latency = 0.0, transfer = 0.0;
    double seconds() const { return latency + transfer; }
  };

  contention::Timing::Message find(const Message& message) {
    network_.find_route(message.from, message.to, route_);
    return protocol_.message(route_, message.bytes, message.from, message.to,
                             contention::Company::none);
  }

  Cost cost_of(const Message& message) {
    const auto timing = find(message);
    double transfer = timing.amount / timing.max_rate;
    for (const int link : route_.links)
      transfer = std::max(transfer, loads_[link] / network_.capacities()[link]);
    return {network_.node_of(message.from) != network_.node_of(message.to), timing.delay, transfer};
  }

  static void count(const Cost& cost, double weight, LevelCosts& into) {
    const int first = cost.between ? LevelCosts::latency_between : LevelCosts::latency_within;
    into.seconds[first] += weight * cost.latency;
    into.seconds[first + 1] += weight * cost.transfer;
  }

  const contention::Network& network_;
  const contention::Protocol& protocol_;
  contention::Route route_;
  std::vector<double> loads_;
  std::vector<Cost> longest_;  // of each rank's messages
};

void add_rounds(const contention::RankProgram& program, int rank, PieceRounds& rounds) {
  std::map<int, int> place;
  program.each_round([&](const contention::ProgramRound& round, float weight) {
    Together& together = rounds[{round.phase, place[round.phase]++}];
    // Ranks that repeat the round less often have a smaller weight; the exchange lasts as long as
    // the others need.
    together.weight = std::max<double>(together.weight, weight);
    together.library = round.library;
    for (const contention::Send& send : program.sends_of(round))
      together.messages.push_back({rank, send.peer, send.bytes});
  });
}

}  // namespace

std::vector<PhaseCosts> round_costs(const workload::Workload& study,
                                    const workload::PieceCounts& counts,
                                    const contention::Network& network,
                                    const contention::Protocol& protocol) {
  // All pieces of a series are used, since different ranks are active in pieces of the same size.
  constexpr int all = std::numeric_limits<int>::max();
  const ProgramOptions options{.counts = counts, .rates = {}, .max_series = all};
  std::vector<std::unique_ptr<workload::RankTurn>> turns;
  turns.reserve(study.ranks());
  for (int rank = 0; rank < study.ranks(); ++rank) turns.push_back(study.turn_of(rank));
  Costs costs(study.ranks(), network, protocol);
  std::vector<std::string> names;
  std::vector<PhaseCosts> result;
  const std::vector<workload::Piece> pieces = study.pieces();
  const workload::PieceCounts inside = workload::weights_inside(pieces, counts);
  for (const auto& [piece, weight] :
       workload::representative_pieces(pieces, counts, options.max_series)) {
    PieceRounds rounds;
    for (int rank = 0; rank < study.ranks(); ++rank) {
      Followed followed(study.ranks(), rank, options, names);
      followed.at(piece.part, weight);
      followed.count_inside(inside);
      turns[rank]->tell(piece, followed);
      add_rounds(followed.take(), rank, rounds);
    }
    result.resize(names.size());
    for (const auto& [where, together] : rounds) {
      PhaseCosts& phase = result[where.first];
      phase.library = together.library;
      costs.add(together, phase);
    }
  }
  for (std::size_t phase = 0; phase < names.size(); ++phase) result[phase].name = names[phase];
  return result;
}

}  // namespace phasewise::driver
