#include "workload/global_sum.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace phasewise::workload {
namespace {

using numerics::LongAccumulator;

exchange::ExchangePointer exchange_of(const SumSetting& setting, const exchange::TeamPointer& team,
                                      exchange::Rounds rounds, bool adds, std::int64_t bytes) {
  if (rounds.empty()) return nullptr;
  exchange::Exchange result;
  result.phase = setting.phase;
  result.channel = setting.channel;
  result.adds = adds;
  if (setting.algorithm == exchange::SumAlgorithm::put) result.protocol = exchange::Protocol::put;
  result.team = team;
  result.rounds = std::make_shared<const exchange::Rounds>(std::move(rounds));
  return of_one_item(std::move(result), {{.offset = 0, .run = bytes, .repeats = nullptr},
                                         {.offset = bytes, .run = bytes, .repeats = nullptr}});
}

}  // namespace

GlobalSum::GlobalSum(const SumSetting& setting, const exchange::TeamPointer& team,
                     std::span<const int> nodes, int sums)
    : setting_(setting), team_(team), sums_(sums), digits_(2 * places()) {
  if (sums < 1 || sums > most_global_sums)
    throw std::logic_error("a global sum is of 1 to " + std::to_string(most_global_sums) +
                           " numbers");
  const std::int64_t bytes = 8 * places();
  exchange::SumRounds rounds = exchange::sum_rounds(setting.algorithm, team->me, nodes);
  result_ = rounds.result;
  added_ = exchange_of(setting, team, std::move(rounds.added), true, bytes);
  stored_ = exchange_of(setting, team, std::move(rounds.stored), false, bytes);
}

void GlobalSum::start(Listener& listener, std::span<LongAccumulator> parts) {
  start(listener, parts, false);
}

void GlobalSum::run(Listener& listener, std::span<LongAccumulator> parts, std::span<double> sums) {
  start(listener, parts, true);
  finish(listener, sums);
}

void GlobalSum::start(Listener& listener, std::span<LongAccumulator> parts, bool blocking) {
  for (int i = 0; i < sums_; ++i)
    parts[i].digits(digits_.span().subspan(static_cast<std::size_t>(i) * LongAccumulator::size,
                                           LongAccumulator::size));
  std::fill_n(digits_.data() + places(), places(), 0.0);
  if (setting_.algorithm == exchange::SumAlgorithm::library) {
    listener.start_collective({.phase = setting_.phase,
                               .channel = setting_.channel,
                               .team = team_,
                               .kind = exchange::CollectiveKind::sum,
                               .blocking = blocking,
                               .sizes = {8 * places()}},
                              nullptr, reinterpret_cast<std::byte*>(digits_.data()));
    return;
  }
  listener.start(setting_.channel, [&](exchange::Works& works) {
    const exchange::ItemBuffer buffer(digits_.data(), 2 * places());
    for (const exchange::ExchangePointer& exchange : {added_, stored_})
      if (exchange) works.push_back({exchange::lent(exchange), buffer, buffer});
  });
}

void GlobalSum::finish(Listener& listener, std::span<double> sums) {
  listener.finish(setting_.channel);
  const double* found = digits_.data() + result_ * places();
  for (int i = 0; i < sums_; ++i)
    sums[i] =
        LongAccumulator::of({found + i * LongAccumulator::size, LongAccumulator::size}).value();
}

}  // namespace phasewise::workload
