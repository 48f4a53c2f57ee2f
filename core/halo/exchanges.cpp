#include "halo/exchanges.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace phasewise::halo {
namespace {

constexpr std::int64_t word = 8;  // bytes

// A rectangle of rows by columns of the array, with its first cell at (row, column).
comm::Region rectangle(std::int64_t width, std::int64_t row, std::int64_t column, std::int64_t rows,
                       std::int64_t columns) {
  return {.offset = word * (row * width + column),
          .run = word * columns,
          .repeats = std::make_shared<const std::vector<comm::Repeat>>(
              1, comm::Repeat{rows, word * width})};
}

// The regions sent to the neighbours before and behind, and received from them.
struct Faces {
  comm::Region to_before, to_behind, from_before, from_behind;
};

Faces faces_along_x(const Description& d) {
  const std::int64_t width = d.width(), n = d.cells(), h = d.rows;
  return {.to_before = rectangle(width, h, h, n, h),
          .to_behind = rectangle(width, h, n, n, h),
          .from_before = rectangle(width, h, 0, n, h),
          .from_behind = rectangle(width, h, n + h, n, h)};
}

Faces faces_along_y(const Description& d) {
  const std::int64_t width = d.width(), n = d.cells(), h = d.rows;
  return {.to_before = rectangle(width, h, h, h, n),
          .to_behind = rectangle(width, n, h, h, n),
          .from_before = rectangle(width, 0, h, h, n),
          .from_behind = rectangle(width, n + h, h, h, n)};
}

// Members of the team: the neighbour before, the one behind, and this rank itself. Both neighbours
// may be the same rank: the first message, to the neighbour before, is then the one that it expects
// first, from behind.
comm::ExchangePointer exchange(std::string_view phase, const Faces& faces, int before, int behind,
                               int rank, comm::Variant variant) {
  constexpr int me = 2;
  const int first = before == rank ? me : 0, second = behind == rank ? me : 1;
  auto rounds = std::make_shared<comm::Rounds>(1);
  rounds->front().sends = {{first, {0}}, {second, {1}}};
  rounds->front().receives = {{second, {2}}, {first, {3}}};
  const auto array = std::make_shared<const std::vector<int>>(1, 0);  // the only item
  comm::Exchange result;
  result.phase = phase;
  result.uniform = true;
  result.team = std::make_shared<comm::Team>(comm::Team{.ranks = {before, behind, rank}, .me = me});
  result.rounds = std::move(rounds);
  result.variant = variant;
  result.items = {array};
  for (const comm::Region& region :
       {faces.to_before, faces.to_behind, faces.from_behind, faces.from_before})
    result.blocks.push_back({array.get(), region});
  return std::make_shared<const comm::Exchange>(std::move(result));
}

}  // namespace

Place place_of(const std::array<int, 2>& grid, int rank) {
  return {rank % grid[0], rank / grid[0]};
}

std::array<comm::ExchangePointer, 2> exchanges_of(const Description& description,
                                                  const std::array<int, 2>& grid, int rank,
                                                  comm::Variant variant) {
  const auto [px, py] = grid;
  const auto [x, y] = place_of(grid, rank);
  const auto rank_at = [px = px](int at_x, int at_y) { return at_y * px + at_x; };
  return {exchange(phases::along_x, faces_along_x(description), rank_at((x + px - 1) % px, y),
                   rank_at((x + 1) % px, y), rank, variant),
          exchange(phases::along_y, faces_along_y(description), rank_at(x, (y + py - 1) % py),
                   rank_at(x, (y + 1) % py), rank, variant)};
}

}  // namespace phasewise::halo
