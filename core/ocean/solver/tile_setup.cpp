// How tiles are found, grouped and prepared.
#include <algorithm>
#include <cmath>
#include <utility>

#include "ocean/solver/influence.hpp"
#include "ocean/solver/sparse_factor.hpp"
#include "ocean/solver/tiles.hpp"

namespace phasewise::ocean {
namespace {

constexpr int cells_grouped = 24 << 10;  // of rows whose tiles are grouped together, at most

// One item is a cell; the influence of a tile is inverted by some 2 guesses³ operations.
constexpr parallel::KernelCard prepare_card{
    .name = "prepare_tiles", .flops = 1000.0, .bytes = 200.0, .vectorised = false};

void fill_coefficients(const TileGroup& group, const StencilPlanes& a, Lanes* data) {
  using K = TileCoefficients;
  const TileCoefficients to{group.shape, data};
  const double* west = a.north_west != nullptr ? a.north_west : a.north_east;
  std::fill_n(data, K::size(group.shape), Lanes{});
  // The couplings with cells around a tile serve the residual; a march has zeros there.
  for (int j = -1; j < group.shape.n; ++j)
    for (int i = -1; i < group.shape.m; ++i)
      for (int lane = 0; lane < lanes; ++lane) {
        const std::int64_t at = group.origins[lane] + j * a.pitch + i;
        Lanes* own = data + to.place(i, j);
        own[K::east][lane] = a.east[at];
        own[K::north][lane] = a.north[at];
        own[K::north_east][lane] = a.north_east[at];
        own[K::north_west][lane] = west[at];
      }
}

void fill_factors(const TileGroup& group, const StencilPlanes& a, const Dissection& order,
                  Lanes* data) {
  const auto [m, n] = group.shape;
  const std::vector<int>& number = order.numbers();
  const double* west = a.north_west != nullptr ? a.north_west : a.north_east;
  std::vector<Lanes> lower(number.size() * number.size());
  const auto couple = [&](int one, int other, const double* plane, int i, int j) {
    const std::size_t row = std::max(number[one], number[other]);
    Lanes& value = lower[row * number.size() + std::min(number[one], number[other])];
    for (int lane = 0; lane < lanes; ++lane)
      value[lane] = plane[group.origins[lane] + j * a.pitch + i];
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      const int cell = j * m + i;
      lower[number[cell] * (number.size() + 1)] = Lanes{} + 1.0;
      if (i + 1 < m) couple(cell, cell + 1, a.east, i, j);
      if (j + 1 == n) continue;
      couple(cell, cell + m, a.north, i, j);
      if (i + 1 == m) continue;
      couple(cell, cell + m + 1, a.north_east, i, j);
      couple(cell + 1, cell + m, west, i, j);
    }
  factorise(order, lower, data);
}

void fill_inverses(const TileCoefficients& a, Lanes* inverse) {
  for (int j = 0; j + 1 < a.shape.n; ++j)
    for (int i = 0; i + 1 < a.shape.m; ++i)
      *inverse++ = 1.0 / a.values[a.place(i, j) + TileCoefficients::north_east];
}

}  // namespace

std::int64_t Tiles::size_of(const TileShape& shape, TileWay way) const {
  using K = TileCoefficients;
  const std::int64_t both = shape.cells() + K::size(shape);
  if (way == TileWay::factors) return both + dissection_of(shape).size();
  return both + K::inverses(shape) + std::int64_t{shape.guesses()} * shape.guesses();
}

std::vector<Tile> Tiles::tiles_of() const {
  const StencilPlanes a = system_.stencil();
  const double* sea = system_.scale_of_cells();
  std::vector<Tile> found;
  const auto cuts_of = [&](int axis, int first, int cells) {
    std::vector<int> cuts;
    for (const int cut : context_.layout.tiles(axis))
      if (cut >= first && cut <= first + cells) cuts.push_back(cut - first);
    return cuts;
  };
  for (int block = 0; block < std::ssize(context_.planes.parts()); ++block) {
    const Planes::Part& part = context_.planes.parts()[block];
    const std::vector<int> x = cuts_of(0, part.x, part.nx), y = cuts_of(1, part.y, part.ny);
    for (std::size_t row = 0; row + 1 < y.size(); ++row)
      for (std::size_t column = 0; column + 1 < x.size(); ++column) {
        Tile tile{block,
                  y[row],
                  part.origin + y[row] * a.pitch + x[column],
                  {x[column + 1] - x[column], y[row + 1] - y[row]},
                  TileWay::march};
        bool land_alone = true;
        for (int j = 0; j < tile.shape.n; ++j)
          for (int i = 0; i < tile.shape.m; ++i) {
            const std::int64_t at = tile.origin + j * a.pitch + i;
            land_alone = land_alone && sea[at] == 0.0;
            if (i + 1 < tile.shape.m && j + 1 < tile.shape.n)
              if (a.north_east[at] == 0.0) tile.way = TileWay::factors;
          }
        if (!land_alone) found.push_back(tile);
      }
  }
  return found;
}

// Tiles of one shape that are solved in one way stand in groups in the order of their places.
void Tiles::append_groups(const std::vector<Tile>& tiles, std::int64_t& size) {
  std::vector<std::pair<TileShape, TileWay>> kinds;
  for (const Tile& tile : tiles)
    if (const std::pair kind(tile.shape, tile.way); std::ranges::find(kinds, kind) == kinds.end())
      kinds.push_back(kind);
  for (const auto& [shape, way] : kinds) {
    TileGroup next{shape, way, 0, {}, 0};
    if (way == TileWay::factors &&
        std::ranges::find(dissections_, shape, &Dissection::shape) == dissections_.end())
      dissections_.emplace_back(shape);
    const auto finish = [&] {
      if (next.count == 0) return;
      for (int lane = next.count; lane < lanes; ++lane)
        next.origins[lane] = next.origins[next.count - 1];
      next.data = size;
      size += size_of(next.shape, next.way);
      groups_.push_back(next);
      next.count = 0;
    };
    for (const Tile& tile : tiles) {
      if (tile.shape != shape || tile.way != way) continue;
      next.origins[next.count++] = tile.origin;
      if (next.count == lanes) finish();
    }
    finish();
  }
}

// The tiles come block by block, and row by row. Those of some rows are grouped together, so that a
// group's are near each other.
void Tiles::group(const std::vector<Tile>& tiles) {
  groups_.clear();
  std::int64_t size = 0;
  for (std::size_t begin = 0; begin < tiles.size();) {
    const Tile& first = tiles[begin];
    const int rows = std::max(1, cells_grouped / context_.planes.parts()[first.part].nx);
    std::size_t end = begin;
    for (; end < tiles.size() && tiles[end].part == first.part; ++end) {
      const int last = tiles[end].row + tiles[end].shape.n;
      if (last - first.row > std::max(rows, first.shape.n)) break;
    }
    append_groups({tiles.begin() + begin, tiles.begin() + end}, size);
    begin = end;
  }
  data_ = parallel::Buffer<Lanes>(size);
  make_scratch();
  parallel::for_tasks(static_cast<int>(groups_.size()), context_.threads,
                      [&](int g, int) { fill(groups_[g]); });
}

void Tiles::fill(const TileGroup& group) {
  const StencilPlanes a = system_.stencil();
  Lanes* data = data_.data() + group.data;
  std::fill_n(data, group.shape.cells(), Lanes{});
  data += group.shape.cells();
  fill_coefficients(group, a, data);
  Lanes* rest = data + TileCoefficients::size(group.shape);
  if (!group.marches()) return fill_factors(group, a, dissection_of(group.shape), rest);
  const TileCoefficients own = coefficients_of(group);
  fill_inverses(own, rest);
  fill_influence(own, rest + TileCoefficients::inverses(group.shape));
}

// Of the tiles that are solved in this way, those with too large an error are to be solved in the
// next one. Returns whether there are any.
bool Tiles::improve(std::vector<Tile>& tiles, TileWay way) {
  bool found = false;
  group(tiles);
  for (const TileGroup& group : groups_) {
    if (group.way != way) continue;
    const Lanes error =
        march_error(coefficients_of(group), influence_of(group), way == TileWay::corrected_march);
    for (int lane = 0; lane < group.count; ++lane) {
      if (error[lane] <= largest_march_error) continue;
      found = true;
      std::ranges::find(tiles, group.origins[lane], &Tile::origin)->way =
          way == TileWay::march ? TileWay::corrected_march : TileWay::factors;
    }
  }
  return found;
}

// The row sums of the inverse bound its eigenvalues where none of its entries is negative.
void Tiles::bound_inverse(workload::Listener& listener) {
  double largest = 1.0;
  const parallel::KernelCard card{
      .name = "bound_inverse", .flops = flops() + 1.0, .bytes = bytes(), .vectorised = false};
  listener.kernel(card, context_.cells(), [&] {
    for (const TileGroup& group : groups_) {
      Scratch& scratch = scratch_[0];
      std::fill_n(scratch.right.data(), group.shape.cells(), Lanes{} + 1.0);
      scratch.ahead = data_.data();
      scratch.asked_before = true;
      solve_right(group, scratch);
      store_rows(group, scratch);
      for (int lane = 0; lane < group.count; ++lane)
        for (int j = 0; j < group.shape.n; ++j)
          for (int i = 0; i < group.shape.m; ++i)
            largest = std::max(
                largest, std::fabs(scratch.rows[(lane * group.shape.n + j) * row_doubles() + i]));
    }
  });
  listener.max(context_.setting.sum_phase, std::span(&largest, 1));
  largest_inverse_ = largest;
}

void Tiles::set(workload::Listener& listener) {
  listener.kernel(prepare_card, context_.cells(), [&] {
    std::vector<Tile> tiles = tiles_of();
    improve(tiles, TileWay::march);
    if (improve(tiles, TileWay::corrected_march)) group(tiles);
  });
  bound_inverse(listener);
}

}  // namespace phasewise::ocean
