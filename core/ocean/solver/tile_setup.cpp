// How tiles are found, grouped and prepared.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "ocean/solver/band_factor.hpp"
#include "ocean/solver/influence.hpp"
#include "ocean/solver/tiles.hpp"
#include "parallel/large_pages.hpp"

namespace phasewise::ocean {
namespace {

constexpr int cells_of_stripe = 24 << 10;  // at most; their right-hand side takes 192 KiB

// One item is a cell; the influence of a tile is inverted by some 2 guesses³ operations.
constexpr parallel::KernelCard prepare_card{
    .name = "prepare_tiles", .flops = 1000.0, .bytes = 200.0, .vectorised = false};

void fill_coefficients(const TileGroup& group, const StencilPlanes& a, Lanes* data) {
  using K = TileCoefficients;
  const TileCoefficients to{group.shape, data};
  const double* west = a.north_west != nullptr ? a.north_west : a.north_east;
  std::fill_n(data, K::size(group.shape), Lanes{});
  for (int j = 0; j < group.shape.n; ++j)
    for (int i = 0; i < group.shape.m; ++i)
      for (int lane = 0; lane < lanes; ++lane) {
        const std::int64_t at = group.origins[lane] + j * a.pitch + i;
        Lanes* own = data + to.place(i, j);
        own[K::east][lane] = a.east[at];
        own[K::north][lane] = a.north[at];
        own[K::north_east][lane] = a.north_east[at];
        own[K::north_west][lane] = west[at];
        if (i + 1 < group.shape.m && j + 1 < group.shape.n)
          own[K::inverse][lane] = 1.0 / a.north_east[at];
      }
}

void fill_factors(const TileGroup& group, const StencilPlanes& a, Lanes* data) {
  const auto [m, n] = group.shape;
  const int row = band_of(group.shape) + 1;
  const double* west = a.north_west != nullptr ? a.north_west : a.north_east;
  std::fill_n(data, factor_size(group.shape), Lanes{});
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      for (int lane = 0; lane < lanes; ++lane) {
        const std::int64_t at = group.origins[lane] + j * a.pitch + i;
        Lanes* own = data + (std::int64_t{j} * m + i) * row;
        own[0][lane] = 1.0;
        if (i > 0) own[1][lane] = a.east[at - 1];
        if (j > 0) own[m][lane] = a.north[at - a.pitch];
        if (i > 0 && j > 0) own[m + 1][lane] = a.north_east[at - a.pitch - 1];
        if (i + 1 < m && j > 0) own[m - 1][lane] = west[at - a.pitch];
      }
  factorise(group.shape, data);
}

}  // namespace

std::int64_t Tiles::data_size(const TileShape& shape, TileWay way) {
  if (way == TileWay::factors) return factor_size(shape);
  return TileCoefficients::size(shape) + std::int64_t{shape.guesses()} * shape.guesses();
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
    const auto finish = [&] {
      if (next.count == 0) return;
      for (int lane = next.count; lane < lanes; ++lane)
        next.origins[lane] = next.origins[next.count - 1];
      next.data = size;
      size += data_size(next.shape, next.way);
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

// The tiles come block by block, and row by row.
void Tiles::group(const std::vector<Tile>& tiles) {
  groups_.clear();
  stripes_.clear();
  std::int64_t size = 0;
  for (std::size_t begin = 0; begin < tiles.size();) {
    const Tile& first = tiles[begin];
    const int rows = std::max(1, cells_of_stripe / context_.planes.parts()[first.part].nx);
    std::size_t end = begin;
    TileStripe stripe{first.part, first.row, 0, static_cast<int>(groups_.size()), 0};
    for (; end < tiles.size() && tiles[end].part == first.part; ++end) {
      const int last = tiles[end].row + tiles[end].shape.n;
      if (last - first.row > std::max(rows, first.shape.n)) break;
      stripe.last_row = last;
    }
    append_groups({tiles.begin() + begin, tiles.begin() + end}, size);
    stripe.last = static_cast<int>(groups_.size());
    stripes_.push_back(stripe);
    begin = end;
  }
  data_ = parallel::Buffer<Lanes>(size);
  parallel::prefer_large_pages(data_.data(), size * sizeof(Lanes));
  find_spans();
  make_scratch();
  parallel::for_tasks(static_cast<int>(groups_.size()), context_.threads,
                      [&](int g, int) { fill(groups_[g]); });
}

// Where there is sea in the rows of each stripe.
void Tiles::find_spans() {
  sea_.assign(stripes_.size(), {});
  for (std::size_t s = 0; s < stripes_.size(); ++s) {
    const auto [part, first, last, from, to] = stripes_[s];
    for (int j = first; j < last; ++j)
      append_spans(system_.scale_of_cells(), context_.planes.at(part, 0, j),
                   context_.planes.parts()[part].nx, sea_[s]);
  }
}

void Tiles::fill(const TileGroup& group) {
  const StencilPlanes a = system_.stencil();
  Lanes* data = data_.data() + group.data;
  if (!group.marches()) return fill_factors(group, a, data);
  fill_coefficients(group, a, data);
  fill_influence(coefficients_of(group), data + TileCoefficients::size(group.shape));
}

// Of the tiles that are solved in this way, those with too large an error are to be solved in the
// next one. Returns whether there are any.
bool Tiles::improve(std::vector<Tile>& tiles, TileWay way) {
  bool found = false;
  group(tiles);
  for (const TileGroup& group : groups_) {
    if (group.way != way) continue;
    const TileCoefficients a = coefficients_of(group);
    const Lanes error =
        march_error(a, a.values + TileCoefficients::size(a.shape), way == TileWay::march_twice);
    for (int lane = 0; lane < group.count; ++lane) {
      if (error[lane] <= largest_march_error) continue;
      found = true;
      std::ranges::find(tiles, group.origins[lane], &Tile::origin)->way =
          way == TileWay::march ? TileWay::march_twice : TileWay::factors;
    }
  }
  return found;
}

void Tiles::check_size() const {
  if (marches_hold(largest_)) return;
  const TileShape most = largest_that_holds(largest_);
  const std::array<int, 2> asked = context_.layout.setting().tile;
  throw std::invalid_argument(
      "evp_block = " + std::to_string(asked[0]) + " x " + std::to_string(asked[1]) +
      " is too large for evp: marches through such blocks are unstable, and the largest that hold "
      "have " +
      std::to_string(most.m) + " x " + std::to_string(most.n) + " cells");
}

// The row sums of the inverse bound its eigenvalues where none of its entries is negative.
void Tiles::bound_inverse(workload::Listener& listener) {
  double largest = 1.0;
  listener.kernel(prepare_card, context_.cells(), [&] {
    for (const TileGroup& group : groups_) {
      Scratch& scratch = scratch_[0];
      std::fill_n(scratch.right.data(), group.shape.cells(), Lanes{} + 1.0);
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
    if (improve(tiles, TileWay::march_twice)) group(tiles);
  });
  bound_inverse(listener);
}

}  // namespace phasewise::ocean
