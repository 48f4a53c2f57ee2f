#include "halo/exchanges.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "exchange/neighbour_exchange.hpp"

namespace phasewise::halo {
namespace {

// A rectangle of rows by columns of the array, with its first cell at (row, column).
exchange::Region rectangle(const Description& d, std::int64_t row, std::int64_t column,
                           std::int64_t rows, std::int64_t columns) {
  return {.offset = d.word * (row * d.width() + column),
          .run = d.word * columns,
          .repeats = std::make_shared<const std::vector<exchange::Repeat>>(
              1, exchange::Repeat{rows, d.word * d.width()})};
}

// The regions sent to the neighbours before and behind, and received from them.
struct Faces {
  exchange::Region to_before, to_behind, from_before, from_behind;
};

Faces faces_along_x(const Description& d) {
  const std::int64_t n = d.cells(), h = d.rows;
  return {.to_before = rectangle(d, h, h, n, h),
          .to_behind = rectangle(d, h, n, n, h),
          .from_before = rectangle(d, h, 0, n, h),
          .from_behind = rectangle(d, h, n + h, n, h)};
}

Faces faces_along_y(const Description& d) {
  const std::int64_t n = d.cells(), h = d.rows;
  return {.to_before = rectangle(d, h, h, h, n),
          .to_behind = rectangle(d, n, h, h, n),
          .from_before = rectangle(d, 0, h, h, n),
          .from_behind = rectangle(d, n + h, h, h, n)};
}

struct Neighbours {
  int before, behind;
};

// If both neighbours are the same rank, the first message that goes there, to the neighbour before,
// is the one that it expects first, from behind.
void add(exchange::NeighbourExchange& exchange, const Faces& faces, const Neighbours& neighbours) {
  exchange.send(neighbours.before, {faces.to_before});
  exchange.send(neighbours.behind, {faces.to_behind});
  exchange.receive(neighbours.behind, {faces.from_behind});
  exchange.receive(neighbours.before, {faces.from_before});
}

}  // namespace

Place place_of(const std::array<int, 2>& grid, int rank) {
  return {rank % grid[0], rank / grid[0]};
}

exchange::Exchanges exchanges_of(const Description& description, const std::array<int, 2>& grid,
                                 const std::vector<int>& nodes, int rank,
                                 exchange::Protocol protocol) {
  const auto [px, py] = grid;
  const auto [x, y] = place_of(grid, rank);
  const auto rank_at = [px = px](int at_x, int at_y) { return at_y * px + at_x; };
  const Neighbours along_x{rank_at((x + px - 1) % px, y), rank_at((x + 1) % px, y)};
  const Neighbours along_y{rank_at(x, (y + py - 1) % py), rank_at(x, (y + 1) % py)};
  const Faces in_x = faces_along_x(description), in_y = faces_along_y(description);
  const auto begun = [&](std::string_view phase) {
    return exchange::NeighbourExchange(phase, exchange::common_channel, protocol, nodes, rank);
  };
  if (description.at_once) {
    exchange::NeighbourExchange all = begun(phases::at_once);
    add(all, in_x, along_x);
    add(all, in_y, along_y);
    return {all.done()};
  }
  exchange::NeighbourExchange first = begun(phases::along_x), second = begun(phases::along_y);
  add(first, in_x, along_x);
  add(second, in_y, along_y);
  return {first.done(), second.done()};
}

}  // namespace phasewise::halo
