#include "exchange/exchange.hpp"

#include <numeric>
#include <utility>

namespace phasewise::exchange {

ExchangePointer of_items(Exchange exchange, const std::vector<Region>& regions, int items) {
  std::vector<int> numbers(static_cast<std::size_t>(items));
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto all = std::make_shared<const std::vector<int>>(std::move(numbers));
  exchange.items = {all};
  exchange.blocks.clear();
  exchange.blocks.reserve(regions.size());
  for (const Region& region : regions) exchange.blocks.push_back({all.get(), region});
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

bool TransposeExchange::in_place(const std::vector<Region>& regions) const {
  if (equal_blocks || by_library() || passes_on() || grids != 1) return false;
  for (std::size_t member = 0; member < regions.size(); ++member)
    if (static_cast<int>(member) != team->me && regions[member].bytes() > 0 &&
        !regions[member].contiguous())
      return false;
  return true;
}

std::int64_t TransposeExchange::of_others(const std::vector<Region>& regions) const {
  std::int64_t all = 0;
  for (const Region& region : regions) all += region.bytes();
  return all - regions[team->me].bytes();
}

// A byte that is copied is read and written. The library copies within its call.
std::int64_t TransposeExchange::copied_traffic() const {
  const std::int64_t own = (*from)[team->me].bytes(), sent = of_others(*from),
                     received = of_others(*to);
  if (by_library()) return 0;
  if (!passes_on())
    return 2 * grids * (own + (sent_in_place() ? 0 : sent) + (received_in_place() ? 0 : received));
  // All slots are packed, put in order once before the rounds and twice after them, and unpacked.
  std::int64_t copied = grids * (2 * own + sent + received) +
                        3 * slot_bytes() * static_cast<std::int64_t>(team->ranks.size());
  for (const Round& round : *rounds) {
    for (const Transfer& transfer : round.sends) copied += sent_bytes(transfer);
    for (const Transfer& transfer : round.receives) copied += received_bytes(transfer);
  }
  return 2 * copied;
}

}  // namespace phasewise::exchange
