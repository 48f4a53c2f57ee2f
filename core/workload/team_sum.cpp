#include "workload/team_sum.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace phasewise::workload {
namespace {

exchange::ExchangePointer exchange_of(const SumSetting& setting, const exchange::TeamPointer& team,
                                      exchange::Rounds rounds, bool adds, std::int64_t bytes) {
  if (rounds.empty()) return nullptr;
  exchange::Exchange result;
  result.phase = setting.phase;
  result.channel = setting.channel;
  result.adds = adds;
  result.protocol =
      setting.algorithm == exchange::SumAlgorithm::put ? exchange::Protocol::put : setting.protocol;
  result.team = team;
  result.rounds = std::make_shared<const exchange::Rounds>(std::move(rounds));
  return of_one_item(std::move(result), {{.offset = 0, .run = bytes, .repeats = nullptr},
                                         {.offset = bytes, .run = bytes, .repeats = nullptr}});
}

}  // namespace

TeamSum::TeamSum(const SumSetting& setting, const exchange::TeamPointer& team,
                 std::span<const int> nodes, std::int64_t values)
    : setting_(setting), team_(team), values_(values), registers_(2 * values) {
  const std::int64_t bytes = 8 * values;
  exchange::SumRounds rounds = exchange::sum_rounds(setting.algorithm, team->me, nodes);
  result_ = rounds.result;
  added_ = exchange_of(setting, team, std::move(rounds.added), true, bytes);
  stored_ = exchange_of(setting, team, std::move(rounds.stored), false, bytes);
}

std::span<double> TeamSum::own() {
  return registers_.span().first(static_cast<std::size_t>(values_));
}

void TeamSum::start(Listener& listener, bool blocking) {
  std::fill_n(registers_.data() + values_, values_, 0.0);
  if (setting_.algorithm == exchange::SumAlgorithm::library) {
    listener.start_collective({.phase = setting_.phase,
                               .channel = setting_.channel,
                               .team = team_,
                               .kind = exchange::CollectiveKind::sum,
                               .blocking = blocking,
                               .sizes = {8 * values_}},
                              nullptr, reinterpret_cast<std::byte*>(registers_.data()));
    return;
  }
  listener.start(setting_.channel, [&](exchange::Works& works) {
    const exchange::ItemBuffer buffer(registers_.data(), 2 * values_);
    for (const exchange::ExchangePointer& exchange : {added_, stored_})
      if (exchange) works.push_back({exchange::lent(exchange), buffer, buffer});
  });
}

std::span<const double> TeamSum::finish(Listener& listener) {
  listener.finish(setting_.channel);
  return {registers_.data() + result_ * values_, static_cast<std::size_t>(values_)};
}

}  // namespace phasewise::workload
