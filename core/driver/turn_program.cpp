#include "driver/turn_program.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "contention/collectives.hpp"

namespace phasewise::driver {
namespace {

using comm::Exchange;
using comm::TransposeExchange;
using contention::Action;

// Of exchanges that are repeated slice by slice, the first ones; the last of these, when traffic
// has settled, stands for all others.
constexpr int taken = 4;

class Builder {
 public:
  Builder(const TurnMessages& turn, int rank, bool in_full, std::vector<std::string>& phases)
      : turn_(turn), rank_(rank), in_full_(in_full), phases_(phases) {
    everyone_.resize(turn.ranks());
    std::iota(everyone_.begin(), everyone_.end(), 0);
  }

  void set_weight(double weight) { weight_ = weight; }
  contention::RankProgram take() { return std::move(program_); }

  void sum(std::string_view phase, std::int64_t bytes) {
    begin(Flight::other);
    collective(phase, comm::Channel::other, everyone_,
               contention::sum_rounds(turn_.ranks(), rank_, bytes), weight_);
    end(Flight::other);
    finish(Flight::other);
  }

  void start(Flight flight, const std::vector<Exchange>& exchanges) {
    begin(flight);
    for (std::size_t i = 0; i < exchanges.size();) {
      std::size_t same = 1;
      while (i + same < exchanges.size() && alike(exchanges[i], exchanges[i + same])) ++same;
      for (std::size_t j = 0; j < std::min<std::size_t>(same, most(same)); ++j)
        add(exchanges[i + j], weight_ * share_of(static_cast<int>(j), static_cast<int>(same)));
      i += same;
    }
    end(flight);
  }
  void progress(Flight flight) { act(Action::progress, flight); }
  void finish(Flight flight) { act(Action::finish, flight); }

  void transpose(const TransposeExchange& exchange, std::int64_t asked) {
    begin(Flight::other);
    const int p = static_cast<int>(exchange.team->ranks.size());
    if (exchange.by_library()) {
      const auto rounds = contention::all_at_once(p, exchange.team->me, asked / std::max(1, p - 1));
      for (int item = 0; item < std::min(exchange.items, most(exchange.items)); ++item)
        collective(exchange.phase, comm::Channel::transpose, exchange.team->ranks, rounds,
                   weight_ * share_of(item, exchange.items));
    } else {
      for (const comm::Round& from : *exchange.rounds) {
        contention::Round round = make_round(exchange.phase, comm::Channel::transpose, weight_);
        for (const comm::Transfer& t : from.sends)
          round.sends.push_back({exchange.team->ranks[t.peer], exchange.bytes(t)});
        for (const comm::Transfer& t : from.receives)
          round.receives.push_back({exchange.team->ranks[t.peer]});
        keep(std::move(round));
      }
    }
    end(Flight::other);
    finish(Flight::other);
  }

 private:
  template <class Count>
  Count most(Count of) const {
    return in_full_ ? of : static_cast<Count>(taken);
  }
  // The last of those that are taken stands for the rest too.
  double share_of(int number, int of) const {
    return !in_full_ && number == taken - 1 ? of - taken + 1.0 : 1.0;
  }

  // Only along columns do all members see the same sizes message by message.
  static bool alike(const Exchange& a, const Exchange& b) {
    return a.phase == b.phase && a.phase.ends_with("_column") && a.rounds == b.rounds &&
           a.blocks.size() == b.blocks.size() &&
           std::equal(
               a.blocks.begin(), a.blocks.end(), b.blocks.begin(),
               [](const comm::Block& x, const comm::Block& y) { return x.values() == y.values(); });
  }

  int phase(std::string_view name) {
    const auto found = std::find(phases_.begin(), phases_.end(), name);
    if (found != phases_.end()) return static_cast<int>(found - phases_.begin());
    phases_.emplace_back(name);
    return static_cast<int>(phases_.size()) - 1;
  }
  contention::Round make_round(std::string_view name, comm::Channel channel, double weight) {
    return {phase(name), static_cast<float>(weight), static_cast<std::uint8_t>(channel), {}, {}};
  }
  void keep(contention::Round&& round) {
    if (!round.sends.empty() || !round.receives.empty())
      program_.rounds.push_back(std::move(round));
  }

  void add(const Exchange& exchange, double weight) {
    if (exchange.by_library()) return add_library(exchange, weight);
    for (const comm::Round& from : *exchange.rounds) {
      contention::Round round = make_round(exchange.phase, exchange.channel, weight);
      for (const comm::Transfer& t : from.sends)
        if (const std::int64_t bytes = exchange.bytes(t); bytes > 0)
          round.sends.push_back({exchange.team->ranks[t.peer], bytes});
      for (const comm::Transfer& t : from.receives)
        if (exchange.bytes(t) > 0) round.receives.push_back({exchange.team->ranks[t.peer]});
      keep(std::move(round));
    }
  }

  void add_library(const Exchange& exchange, double weight) {
    const std::int64_t all = exchange.total_bytes();
    if (all == 0) return;
    std::vector<std::int64_t> blocks;
    for (const comm::Block& block : exchange.blocks) blocks.push_back(8 * block.values());
    const int p = static_cast<int>(exchange.team->ranks.size()), me = exchange.team->me;
    const bool summed = exchange.form == comm::LibraryForm::all_reduced;
    const bool gathered = exchange.form == comm::LibraryForm::gathered && !exchange.adds;
    collective(exchange.phase, exchange.channel, exchange.team->ranks,
               summed          ? contention::sum_rounds(p, me, all)
               : gathered      ? contention::gather_and_broadcast_rounds(blocks, me)
               : exchange.adds ? contention::reduce_ring_rounds(blocks, me)
                               : contention::gather_ring_rounds(blocks, me),
               weight);
  }

  void collective(std::string_view name, comm::Channel channel, const std::vector<int>& ranks,
                  const contention::CollectiveRounds& rounds, double weight) {
    for (const contention::CollectiveRound& from : rounds) {
      contention::Round round = make_round(name, channel, weight);
      for (const contention::CollectiveSend& part : from.sends)
        round.sends.push_back({ranks[part.peer], part.bytes});
      for (const int member : from.receives) round.receives.push_back({ranks[member]});
      keep(std::move(round));
    }
  }

  void begin(Flight flight) {
    current_[static_cast<int>(flight)] = static_cast<int>(program_.sequences.size());
    first_ = static_cast<int>(program_.rounds.size());
  }
  void end(Flight flight) {
    program_.sequences.push_back({first_, static_cast<int>(program_.rounds.size())});
    act(Action::start, flight);
  }
  void act(Action action, Flight flight) {
    if (const int number = current_[static_cast<int>(flight)]; number >= 0)
      program_.instructions.push_back({action, number});
  }

  const TurnMessages& turn_;
  int rank_;
  bool in_full_;
  std::vector<std::string>& phases_;
  std::vector<int> everyone_;
  double weight_ = 1.0;
  contention::RankProgram program_;
  std::array<int, flights> current_{-1, -1, -1};
  int first_ = 0;
};

std::int64_t messages_of(const contention::RankProgram& program) {
  std::int64_t count = 0;
  for (const contention::Round& round : program.rounds) count += std::ssize(round.sends);
  return count;
}

// Enough to interpolate what is not straight in the number of pairs.
constexpr int fewest_steps = 3;

}  // namespace

std::vector<WeightedStep> all_steps(int slices) {
  std::vector<WeightedStep> result;
  result.reserve(collision::steps(slices));
  for (int k = 0; k < collision::steps(slices); ++k) result.push_back({k, 1.0});
  return result;
}

std::vector<WeightedStep> representative_steps(int slices, int most) {
  if (most >= collision::steps(slices)) return all_steps(slices);
  // Of the steps k and 2S - 2 - k, which have k + 1 pairs, the first.
  const int count = std::min(most, slices);
  std::vector<WeightedStep> result;
  result.reserve(count);
  for (int i = 0; i < count; ++i)
    result.push_back({count > 1 ? (slices - 1) * i / (count - 1) : slices - 1, 0.0});
  std::size_t next = 0;
  for (int k = 0; k < slices; ++k) {
    const double times = k == slices - 1 ? 1.0 : 2.0;
    while (next + 1 < result.size() && result[next].k < k) ++next;
    const WeightedStep& above = result[next];
    if (above.k == k || next == 0) {
      result[next].weight += times;
      continue;
    }
    const double part = static_cast<double>(k - result[next - 1].k) /
                        static_cast<double>(above.k - result[next - 1].k);
    result[next].weight += times * part;
    result[next - 1].weight += times * (1.0 - part);
  }
  return result;
}

contention::RankProgram rank_program(const TurnMessages& turn, int rank,
                                     const ProgramOptions& options,
                                     std::vector<std::string>& phases) {
  const bool in_full = options.most_steps == 0;
  Builder builder(turn, rank, in_full, phases);
  bool first = true;
  for (const PlannedCollision& c : turn.collisions()) {
    turn.visit_arrival(c, first, builder);
    first = false;
    if (c.strong_strong()) {
      const collision::CollisionPlan plan(c.shape, turn.settings(), c.grid, rank);
      if (options.meshes > 0.0 && !c.shape.green_every_step) {
        builder.set_weight(options.meshes);
        turn.visit_green(plan, c, builder);
      }
      const std::vector<WeightedStep> steps =
          in_full ? all_steps(c.point.slices)
                  : representative_steps(c.point.slices, options.most_steps);
      for (const WeightedStep& step : steps) {
        builder.set_weight(step.weight);
        turn.visit_step(c, plan, collision::Step{c.point.slices, step.k}, builder);
      }
      builder.set_weight(1.0);
    }
    turn.visit_departure(c, builder);
  }
  return builder.take();
}

contention::Program turn_program(const TurnMessages& turn, double meshes,
                                 std::int64_t most_messages) {
  int slices = 1;
  for (const PlannedCollision& c : turn.collisions()) slices = std::max(slices, c.point.slices);
  ProgramOptions options{meshes, 0};
  contention::Program program;
  const auto too_many = [&] {
    const contention::RankProgram first = rank_program(turn, 0, options, program.phases);
    return messages_of(first) * turn.ranks() > most_messages;
  };
  if (too_many()) options.most_steps = slices;
  while (options.most_steps > fewest_steps && too_many())
    options.most_steps = std::max(fewest_steps, options.most_steps * 2 / 3);
  program.ranks.reserve(turn.ranks());
  for (int rank = 0; rank < turn.ranks(); ++rank)
    program.ranks.push_back(rank_program(turn, rank, options, program.phases));
  contention::match(program);
  return program;
}

}  // namespace phasewise::driver
