#include "exchange/round_layout.hpp"

#include <algorithm>

#include "exchange/in_place.hpp"

namespace phasewise::exchange {

RoundLayout::Part RoundLayout::part_of(const Exchange& exchange, const Transfer& transfer,
                                       std::int64_t item_size) {
  const std::size_t first = fragments.size();
  append(fragments, exchange, transfer, item_size);
  const std::span<const Fragment> found = std::span(fragments).subspan(first);
  return {exchange.team->ranks[transfer.peer], exchange.bytes(transfer), first, fragments.size(),
          in_one_piece(found)};
}

bool RoundLayout::make(const Exchange& exchange, const Round& round, std::int64_t from_item_size,
                       std::int64_t to_item_size) {
  if (from_item_size == from_item && to_item_size == to_item) return false;
  *this = {};
  from_item = from_item_size;
  to_item = to_item_size;
  std::vector<Part> from_me;
  for (const Transfer& t : round.sends) {
    const std::int64_t bytes = exchange.bytes(t);
    if (bytes == 0) continue;
    bytes_out += bytes;
    largest = std::max(largest, bytes);
    const Part part = part_of(exchange, t, from_item);
    (t.peer == exchange.team->me ? from_me : sends).push_back(part);
  }
  for (const Transfer& t : round.receives) {
    const std::int64_t bytes = exchange.bytes(t);
    if (bytes == 0) continue;
    bytes_in += bytes;
    const Part part = part_of(exchange, t, to_item);
    if (t.peer == exchange.team->me)
      to_self.push_back({from_me[to_self.size()], part});
    else
      receives.push_back(part);
  }
  return true;
}

}  // namespace phasewise::exchange
