#include "halo/exchanges.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace phasewise::halo {
namespace {

// A rectangle of rows by columns of the array, with its first cell at (row, column).
comm::Region rectangle(const Description& d, std::int64_t row, std::int64_t column,
                       std::int64_t rows, std::int64_t columns) {
  return {.offset = d.word * (row * d.width() + column),
          .run = d.word * columns,
          .repeats = std::make_shared<const std::vector<comm::Repeat>>(
              1, comm::Repeat{rows, d.word * d.width()})};
}

// The regions sent to the neighbours before and behind, and received from them.
struct Faces {
  comm::Region to_before, to_behind, from_before, from_behind;
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

// An exchange with some pairs of neighbours, in one round. The team begins with this rank.
class Builder {
 public:
  Builder(std::string_view phase, const std::vector<int>& nodes, int rank, comm::Protocol protocol)
      : nodes_(nodes) {
    exchange_.phase = phase;
    exchange_.uniform = true;
    exchange_.protocol = protocol;
    exchange_.items = {std::make_shared<const std::vector<int>>(1, 0)};  // the array
    join(rank);
  }

  // Both neighbours may be the same rank: the first message, to the neighbour before, is then the
  // one that it expects first, from behind.
  void add(const Faces& faces, const Neighbours& neighbours) {
    const int before = join(neighbours.before), behind = join(neighbours.behind);
    round_.sends.push_back({before, {add_block(faces.to_before)}});
    round_.sends.push_back({behind, {add_block(faces.to_behind)}});
    round_.receives.push_back({behind, {add_block(faces.from_behind)}});
    round_.receives.push_back({before, {add_block(faces.from_before)}});
  }

  comm::ExchangePointer done() {
    exchange_.team = std::make_shared<const comm::Team>(std::move(team_));
    exchange_.rounds = std::make_shared<const comm::Rounds>(1, std::move(round_));
    return std::make_shared<const comm::Exchange>(std::move(exchange_));
  }

 private:
  // The number of a rank in the team.
  int join(int rank) {
    const auto known = std::ranges::find(team_.ranks, rank);
    const int member = static_cast<int>(known - team_.ranks.begin());
    if (known != team_.ranks.end()) return member;
    team_.ranks.push_back(rank);
    team_.nodes.push_back(nodes_[rank]);
    return member;
  }
  int add_block(const comm::Region& region) {
    exchange_.blocks.push_back({exchange_.items.front().get(), region});
    return static_cast<int>(exchange_.blocks.size()) - 1;
  }

  const std::vector<int>& nodes_;
  comm::Exchange exchange_;
  comm::Team team_;
  comm::Round round_;
};

}  // namespace

Place place_of(const std::array<int, 2>& grid, int rank) {
  return {rank % grid[0], rank / grid[0]};
}

comm::Exchanges exchanges_of(const Description& description, const std::array<int, 2>& grid,
                             const std::vector<int>& nodes, int rank, comm::Protocol protocol) {
  const auto [px, py] = grid;
  const auto [x, y] = place_of(grid, rank);
  const auto rank_at = [px = px](int at_x, int at_y) { return at_y * px + at_x; };
  const Neighbours along_x{rank_at((x + px - 1) % px, y), rank_at((x + 1) % px, y)};
  const Neighbours along_y{rank_at(x, (y + py - 1) % py), rank_at(x, (y + 1) % py)};
  const Faces in_x = faces_along_x(description), in_y = faces_along_y(description);
  if (description.at_once) {
    Builder all(phases::at_once, nodes, rank, protocol);
    all.add(in_x, along_x);
    all.add(in_y, along_y);
    return {all.done()};
  }
  Builder first(phases::along_x, nodes, rank, protocol);
  Builder second(phases::along_y, nodes, rank, protocol);
  first.add(in_x, along_x);
  second.add(in_y, along_y);
  return {first.done(), second.done()};
}

}  // namespace phasewise::halo
