#include "exchange/exchange.hpp"

#include <utility>

namespace phasewise::exchange {

ExchangePointer of_one_item(Exchange exchange, const std::vector<Region>& regions) {
  const auto item = std::make_shared<const std::vector<int>>(1, 0);
  exchange.items = {item};
  exchange.blocks.clear();
  exchange.blocks.reserve(regions.size());
  for (const Region& region : regions) exchange.blocks.push_back({item.get(), region});
  return std::make_shared<const Exchange>(std::move(exchange));
}

RoundsPointer rounds_of(const PhaseSetting& setting, int me, std::span<const int> nodes,
                        bool backwards) {
  if (setting.algorithm == Algorithm::library) return nullptr;
  Rounds forwards = reduce_rounds(setting.algorithm, setting.schedule, me, nodes);
  return std::make_shared<const Rounds>(backwards ? reversed(forwards) : std::move(forwards));
}

RoundsPointer rounds_of(Transpose algorithm, const Team& team) {
  if (algorithm == Transpose::alltoallw) return nullptr;
  return std::make_shared<const Rounds>(
      transpose_rounds(algorithm, team.me, static_cast<int>(team.ranks.size())));
}

}  // namespace phasewise::exchange
