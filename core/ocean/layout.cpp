#include "ocean/layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "exchange/share.hpp"

namespace phasewise::ocean {
namespace {

// Blocks a rank has along each axis if they are dealt by their sea cells and no size is given.
constexpr int blocks_along_axis = 3;

int width_at(const std::vector<int>& cuts, int part) { return cuts[part + 1] - cuts[part]; }

// Shares of `parts` tiles, as cells.
std::vector<int> shared_cuts(const std::vector<int>& tiles, int parts) {
  const int count = static_cast<int>(tiles.size()) - 1;
  std::vector<int> cuts;
  cuts.reserve(static_cast<std::size_t>(parts) + 1);
  for (int part = 0; part < parts; ++part)
    cuts.push_back(tiles[exchange::share(count, parts, part).first]);
  cuts.push_back(tiles.back());
  return cuts;
}

// Cuts every `width` cells, or at the nearest boundary of tiles.
std::vector<int> regular_cuts(const std::vector<int>& tiles, int width) {
  std::vector<int> cuts{0};
  const int n = tiles.back();
  for (int at = width; at < n; at += width) {
    const auto above = std::ranges::lower_bound(tiles, at);
    const int nearest = *above - at <= at - *(above - 1) ? *above : *(above - 1);
    if (nearest >= cuts.back() + ghosts && nearest <= n - ghosts) cuts.push_back(nearest);
  }
  cuts.push_back(n);
  return cuts;
}

// The most shares of an axis that have at least as many cells as there are ghosts.
int most_parts(const std::vector<int>& tiles) {
  int parts = static_cast<int>(tiles.size()) - 1;
  const auto narrowest = [&](int count) {
    const std::vector<int> cuts = shared_cuts(tiles, count);
    int least = cuts.back();
    for (int part = 0; part < count; ++part) least = std::min(least, width_at(cuts, part));
    return least;
  };
  while (parts > 1 && narrowest(parts) < ghosts) --parts;
  return parts;
}

// Where each of `parts` parts of a sequence ends, if they have nearly equal weights and at least
// `least` members each.
std::vector<int> ends_of_parts(const std::vector<double>& weights, int parts, int least) {
  const int count = static_cast<int>(weights.size());
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<int> ends;
  double before = 0.0;
  int at = 0;
  for (int part = 0; part < parts; ++part) {
    const int first = part == 0 ? 0 : ends.back(), last = count - (parts - 1 - part) * least;
    const double wanted = all * (part + 1) / parts;
    while (at < last &&
           (at < first + least || before + 0.5 * weights[at] <= wanted || part == parts - 1))
      before += weights[at++];
    ends.push_back(at);
  }
  return ends;
}

// The place of a cell along Hilbert's curve through a square of `side` cells, a power of two
// (Hilbert, Math. Ann. 38 (1891) 459).
std::int64_t along_hilbert(std::int64_t side, std::int64_t x, std::int64_t y) {
  std::int64_t place = 0;
  for (std::int64_t half = side / 2; half > 0; half /= 2) {
    const bool east = (x & half) != 0, north = (y & half) != 0;
    place += half * half * ((east ? 3 : 0) ^ (north ? 1 : 0));
    if (north) continue;
    if (east) {
      x = side - 1 - x;
      y = side - 1 - y;
    }
    std::swap(x, y);
  }
  return place;
}

}  // namespace

std::vector<int> tile_cuts(int n, int most) {
  most = std::clamp(most, 1, n);
  int width = most;
  while (n % width != 0) --width;
  const int parts = 3 * width >= 2 * most ? n / width : (n + most - 1) / most;
  std::vector<int> cuts;
  cuts.reserve(static_cast<std::size_t>(parts) + 1);
  for (int part = 0; part < parts; ++part) cuts.push_back(exchange::share(n, parts, part).first);
  cuts.push_back(n);
  return cuts;
}

int widest_tile(const std::vector<int>& cuts) {
  int most = 0;
  for (std::size_t i = 1; i < cuts.size(); ++i) most = std::max(most, cuts[i] - cuts[i - 1]);
  return most;
}

Layout::Layout(const SeaMask& mask, const LayoutSetting& setting, int ranks)
    : setting_(setting),
      periodic_{mask.periodic_x, mask.periodic_y},
      tiles_{tile_cuts(mask.nx, setting.tile[0]), tile_cuts(mask.ny, setting.tile[1])},
      of_rank_(static_cast<std::size_t>(ranks)) {
  choose_grid(ranks);
  for (int axis = 0; axis < 2; ++axis) cut(axis);
  make_blocks(mask);
  deal(ranks);
  for (std::size_t block = 0; block < blocks_.size(); ++block)
    if (blocks_[block].owner >= 0)
      of_rank_[blocks_[block].owner].push_back(static_cast<int>(block));
}

// Of all grids the one whose largest block has the fewest cells and the shortest edge.
void Layout::choose_grid(int ranks) {
  if (setting_.process_grid[0] > 0) {
    grid_ = setting_.process_grid;
    if (grid_[0] * grid_[1] == ranks) return;
    throw std::invalid_argument(
        "the process grid " + std::to_string(grid_[0]) + "x" + std::to_string(grid_[1]) + " has " +
        std::to_string(grid_[0] * grid_[1]) + " ranks, but the run has " + std::to_string(ranks));
  }
  const auto width = [&](int axis, int parts) {
    const int tiles = static_cast<int>(tiles_[axis].size()) - 1, n = tiles_[axis].back();
    const int most_tiles = (tiles + parts - 1) / parts;
    return static_cast<double>(most_tiles) * n / tiles;
  };
  const auto most = [&](int axis) {
    const int given = setting_.blocks[axis];
    if (given == 0) return most_parts(tiles_[axis]);
    return static_cast<int>(regular_cuts(tiles_[axis], std::max(given, ghosts)).size()) - 1;
  };
  constexpr double edge = 8.0;  // cells that cost as much as a cell's length of an edge
  double least = std::numeric_limits<double>::infinity();
  for (int px = 1; px <= ranks; ++px) {
    if (ranks % px != 0) continue;
    const double x = width(0, px), y = width(1, ranks / px), cost = x * y + edge * (x + y);
    const bool fits = px <= most(0) && ranks / px <= most(1);
    if (const double judged = fits ? cost : 1e12 * cost; judged < least) {
      least = judged;
      grid_ = {px, ranks / px};
    }
  }
}

void Layout::cut(int axis) {
  const std::vector<int>& tiles = tiles_[axis];
  const int given = setting_.blocks[axis], most = most_parts(tiles);
  if (given > 0) {
    cuts_[axis] = regular_cuts(tiles, std::max(given, ghosts));
    return;
  }
  int parts = grid_[axis];
  if (setting_.distribution != Distribution::cartesian) parts *= blocks_along_axis;
  cuts_[axis] = shared_cuts(tiles, std::min(parts, most));
}

void Layout::make_blocks(const SeaMask& mask) {
  const int columns = static_cast<int>(cuts_[0].size()) - 1;
  const int rows = static_cast<int>(cuts_[1].size()) - 1;
  blocks_.reserve(static_cast<std::size_t>(columns) * rows);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      blocks_.push_back({.x = cuts_[0][column],
                         .y = cuts_[1][row],
                         .nx = width_at(cuts_[0], column),
                         .ny = width_at(cuts_[1], row),
                         .column = column,
                         .row = row});
  for (Block& block : blocks_) {
    for (int j = block.y; j < block.y + block.ny; ++j) {
      const std::uint8_t* line = mask.sea.data() + std::int64_t{j} * mask.nx + block.x;
      block.sea += std::accumulate(line, line + block.nx, std::int64_t{0});
    }
    sea_ += block.sea;
  }
}

void Layout::check_ranks(int ranks) const {
  const int columns = static_cast<int>(cuts_[0].size()) - 1;
  const int rows = static_cast<int>(cuts_[1].size()) - 1;
  const bool cartesian = setting_.distribution == Distribution::cartesian;
  const auto fits = [&] { return grid_[0] <= columns && grid_[1] <= rows; };
  const auto most = cartesian ? static_cast<std::size_t>(columns) * rows : undropped().size();
  if (cartesian ? fits() : static_cast<std::size_t>(ranks) <= most) return;
  throw std::invalid_argument(
      std::to_string(ranks) + " ranks" +
      (cartesian ? " on a process grid " + std::to_string(grid_[0]) + "x" + std::to_string(grid_[1])
                 : "") +
      " are more than the blocks" + (cartesian ? "" : " with sea") + ": the grid of " +
      std::to_string(nx()) + " x " + std::to_string(ny()) + " cells has " + std::to_string(most) +
      (cartesian ? " of them, " + std::to_string(columns) + " x " + std::to_string(rows) : "") +
      ", and this is the largest number of ranks");
}

void Layout::deal(int ranks) {
  check_ranks(ranks);
  switch (setting_.distribution) {
    case Distribution::cartesian:
      return deal_cartesian();
    case Distribution::balanced:
      return deal_balanced();
    case Distribution::curve:
      return deal_along_curve();
  }
}

std::vector<int> Layout::undropped() const {
  std::vector<int> all;
  for (std::size_t block = 0; block < blocks_.size(); ++block)
    if (blocks_[block].sea > 0 || !setting_.drop_land) all.push_back(static_cast<int>(block));
  return all;
}

void Layout::deal_cartesian() {
  const std::array<int, 2> counts{static_cast<int>(cuts_[0].size()) - 1,
                                  static_cast<int>(cuts_[1].size()) - 1};
  std::array<std::vector<int>, 2> share_of;
  for (int axis = 0; axis < 2; ++axis)
    for (int part = 0; part < grid_[axis]; ++part) {
      const auto [first, last] = exchange::share(counts[axis], grid_[axis], part);
      share_of[axis].insert(share_of[axis].end(), last - first, part);
    }
  for (const int block : undropped()) {
    Block& one = blocks_[block];
    one.owner = share_of[0][one.column] + grid_[0] * share_of[1][one.row];
  }
}

// Rows of blocks are cut into strips, and each strip along x.
void Layout::deal_balanced() {
  std::vector<int> all = undropped();
  const auto weights = [&](auto first, auto last) {
    std::vector<double> result;
    for (; first != last; ++first)
      result.push_back(static_cast<double>(std::max<std::int64_t>(1, blocks_[*first].sea)));
    return result;
  };
  const std::vector<int> strips =
      ends_of_parts(weights(all.begin(), all.end()), grid_[1], grid_[0]);
  int begin = 0;
  for (int strip = 0; strip < grid_[1]; ++strip) {
    const auto first = all.begin() + begin, last = all.begin() + strips[strip];
    std::sort(first, last, [&](int a, int b) {
      return std::pair(blocks_[a].column, blocks_[a].row) <
             std::pair(blocks_[b].column, blocks_[b].row);
    });
    const std::vector<int> ends = ends_of_parts(weights(first, last), grid_[0], 1);
    for (int part = 0, place = 0; part < grid_[0]; ++part)
      for (; place < ends[part]; ++place) blocks_[first[place]].owner = part + grid_[0] * strip;
    begin = strips[strip];
  }
}

void Layout::deal_along_curve() {
  std::vector<int> all = undropped();
  std::int64_t side = 1;
  while (side < static_cast<std::int64_t>(std::max(cuts_[0].size(), cuts_[1].size()))) side *= 2;
  std::ranges::sort(all, {}, [&](int block) {
    return along_hilbert(side, blocks_[block].column, blocks_[block].row);
  });
  std::vector<double> weights;
  weights.reserve(all.size());
  for (const int block : all)
    weights.push_back(static_cast<double>(std::max<std::int64_t>(1, blocks_[block].sea)));
  const std::vector<int> ends = ends_of_parts(weights, ranks(), 1);
  for (int rank = 0, place = 0; rank < ranks(); ++rank)
    for (; place < ends[rank]; ++place) blocks_[all[place]].owner = rank;
}

int Layout::neighbour(int block, int east, int north) const {
  const std::array<int, 2> counts{static_cast<int>(cuts_[0].size()) - 1,
                                  static_cast<int>(cuts_[1].size()) - 1};
  std::array<int, 2> at{blocks_[block].column + east, blocks_[block].row + north};
  for (int axis = 0; axis < 2; ++axis) {
    if (periodic_[axis]) at[axis] = (at[axis] + counts[axis]) % counts[axis];
    if (at[axis] < 0 || at[axis] >= counts[axis]) return -1;
  }
  const int other = at[0] + counts[0] * at[1];
  return blocks_[other].owner < 0 ? -1 : other;
}

std::int64_t Layout::sea_of(int rank) const {
  std::int64_t all = 0;
  for (const int block : of_rank_[rank]) all += blocks_[block].sea;
  return all;
}

}  // namespace phasewise::ocean
