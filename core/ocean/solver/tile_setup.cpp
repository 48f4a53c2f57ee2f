// How tiles are found, grouped and prepared.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "ocean/solver/band_factor.hpp"
#include "ocean/solver/tiles.hpp"

namespace phasewise::ocean {
namespace {

// The largest error of a solution by marches, relative to the right-hand side, and the share of
// tiles that may exceed it: these tiles are factorised.
constexpr double largest_error = 3e-10;
constexpr double most_inexact = 0.5;

// One item is a cell; the influence of a tile is inverted by some 2 guesses³ operations.
constexpr parallel::KernelCard prepare_card{
    .name = "prepare_tiles", .flops = 1000.0, .bytes = 200.0, .vectorised = false};

// A smooth number for each cell that is none of the operator's vectors.
double sample_at(int i, int j) { return std::sin(1.0 + 2.3 * i + 1.7 * j + 0.37 * i * j); }

// The matrix's inverse in one lane, by Gauss and Jordan with pivots from its columns.
bool invert(Lanes* matrix, int n, int lane) {
  std::vector<double> a(static_cast<std::size_t>(n) * 2 * n, 0.0);
  const auto at = [&](int row, int column) -> double& { return a[row * 2 * n + column]; };
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) at(row, column) = matrix[row * n + column][lane];
    at(row, n + row) = 1.0;
  }
  for (int step = 0; step < n; ++step) {
    int pivot = step;
    for (int row = step + 1; row < n; ++row)
      if (std::fabs(at(row, step)) > std::fabs(at(pivot, step))) pivot = row;
    const double value = at(pivot, step);
    if (!(std::fabs(value) > 0.0) || !std::isfinite(value)) return false;
    for (int column = 0; column < 2 * n; ++column) std::swap(at(step, column), at(pivot, column));
    for (int column = 0; column < 2 * n; ++column) at(step, column) /= value;
    for (int row = 0; row < n; ++row) {
      const double factor = at(row, step);
      if (row == step || factor == 0.0) continue;
      for (int column = step; column < 2 * n; ++column)
        at(row, column) -= factor * at(step, column);
    }
  }
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) matrix[row * n + column][lane] = at(row, n + column);
  return true;
}

std::int64_t data_size(const TileShape& shape, TileWay way) {
  if (way == TileWay::factors) return factor_size(shape);
  return TileCoefficients::size(shape) + std::int64_t{shape.guesses()} * shape.guesses();
}

void fill_coefficients(const TileGroup& group, const StencilPlanes& a, Lanes* data) {
  using P = TileCoefficients;
  const TileCoefficients to{group.shape, data, a.north_west != nullptr};
  std::fill_n(data, P::size(group.shape), Lanes{});
  const double* planes[] = {a.east, a.north, a.north_east, a.north_west};
  for (int j = 0; j < group.shape.n; ++j)
    for (int i = 0; i < group.shape.m; ++i)
      for (int lane = 0; lane < lanes; ++lane) {
        const std::int64_t at = group.origins[lane] + j * a.pitch + i;
        for (const P::Plane plane : {P::east, P::north, P::north_east, P::north_west})
          if (planes[plane] != nullptr) data[to.row(plane, j) + i][lane] = planes[plane][at];
        if (i + 1 < group.shape.m && j + 1 < group.shape.n)
          data[to.row(P::inverse, j) + i][lane] = 1.0 / a.north_east[at];
      }
}

// The guesses for given defects: a march from one guess alone gives a column of the inverse.
void fill_influence(const TileGroup& group, bool west, const Lanes* data, Lanes* influence) {
  const TileCoefficients coefficients{group.shape, data, west};
  const int guesses = group.shape.guesses();
  std::vector<Lanes> z(static_cast<std::size_t>(group.shape.framed())), found(guesses);
  for (int k = 0; k < guesses; ++k) {
    std::ranges::fill(z, Lanes{});
    guess(group.shape, z.data(), k) = Lanes{} + 1.0;
    march(coefficients, nullptr, z.data());
    defects(coefficients, nullptr, z.data(), found.data());
    for (int d = 0; d < guesses; ++d) influence[d * guesses + k] = -found[d];
  }
  for (int lane = 0; lane < lanes; ++lane)
    if (!invert(influence, guesses, lane))
      for (int i = 0; i < guesses * guesses; ++i) influence[i][lane] = std::nan("");
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

std::vector<Tile> Tiles::tiles_of(const std::array<int, 2>& size) const {
  const StencilPlanes a = system_.stencil();
  const double* sea = system_.scale_of_cells();
  std::vector<Tile> found;
  const auto cuts_of = [&](int axis, int first, int cells) {
    std::vector<int> cuts;
    if (size == context_.layout.setting().tile) {
      for (const int cut : context_.layout.tiles(axis))
        if (cut >= first && cut <= first + cells) cuts.push_back(cut - first);
    } else {
      for (int cut = 0; cut <= cells; cut += size[axis]) cuts.push_back(cut);
    }
    return cuts;
  };
  for (const Planes::Part& part : context_.planes.parts()) {
    const std::vector<int> x = cuts_of(0, part.x, part.nx), y = cuts_of(1, part.y, part.ny);
    for (std::size_t row = 0; row + 1 < y.size(); ++row)
      for (std::size_t column = 0; column + 1 < x.size(); ++column) {
        Tile tile{part.origin + y[row] * a.pitch + x[column],
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

// Tiles of one shape stand in groups in the order of their places.
void Tiles::group(const std::vector<Tile>& tiles) {
  groups_.clear();
  std::int64_t size = 0;
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
  std::ranges::sort(groups_, {}, [](const TileGroup& one) { return one.origins[0]; });
  data_ = parallel::Buffer<Lanes>(size);
  make_scratch();
  parallel::for_tasks(static_cast<int>(groups_.size()), context_.threads,
                      [&](int g, int) { fill(groups_[g]); });
}

void Tiles::fill(const TileGroup& group) {
  const StencilPlanes a = system_.stencil();
  Lanes* data = data_.data() + group.data;
  if (!group.marches()) return fill_factors(group, a, data);
  fill_coefficients(group, a, data);
  fill_influence(group, a.north_west != nullptr, data, data + TileCoefficients::size(group.shape));
}

// The largest defect of each tile's solution for a sample whose numbers are at most 1.
Lanes Tiles::error_of(const TileGroup& group) {
  Scratch& scratch = scratch_[0];
  const auto [m, n] = group.shape;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) scratch.right[j * m + i] = Lanes{} + sample_at(i, j);
  solve_right(group, scratch);
  residuals(coefficients_of(group), scratch.right.data(), scratch.solution.data(),
            scratch.left.data());
  Lanes worst{};
  for (int at = 0; at < group.shape.cells(); ++at)
    for (int lane = 0; lane < lanes; ++lane) {
      const double defect = std::fabs(scratch.left[at][lane]);
      if (!(defect <= worst[lane])) worst[lane] = std::isfinite(defect) ? defect : HUGE_VAL;
    }
  return worst;
}

// Of the tiles that are solved in this way, those with too large an error are to be solved in the
// next one.
Tiles::Exactness Tiles::measure(std::vector<Tile>& tiles, TileWay way) {
  Exactness found;
  group(tiles);
  for (const TileGroup& group : groups_) {
    if (group.way != way) continue;
    const Lanes worst = error_of(group);
    for (int lane = 0; lane < group.count; ++lane) {
      ++found.tiles;
      found.worst = std::max(found.worst, worst[lane]);
      if (worst[lane] <= largest_error) continue;
      ++found.inexact;
      std::ranges::find(tiles, group.origins[lane], &Tile::origin)->way =
          way == TileWay::march ? TileWay::march_twice : TileWay::factors;
    }
  }
  return found;
}

// Leaves the tiles in groups of the ways in which they are exact enough.
Tiles::Exactness Tiles::measured_by_all(std::vector<Tile>& tiles, workload::Listener& listener) {
  Exactness found;
  listener.kernel(prepare_card, context_.cells(), [&] {
    const std::int64_t marched = measure(tiles, TileWay::march).tiles;
    found = measure(tiles, TileWay::march_twice);
    found.tiles = marched;
    if (found.inexact > 0) group(tiles);
  });
  std::array<std::int64_t, 2> counts{found.tiles, found.inexact};
  listener.sum(context_.setting.sum_phase, counts);
  listener.max(context_.setting.sum_phase, std::span(&found.worst, 1));
  found.tiles = counts[0];
  found.inexact = counts[1];
  return found;
}

void Tiles::refuse(const Exactness& found, workload::Listener& listener) {
  const std::array<int, 2> asked = context_.layout.setting().tile;
  std::array<int, 2> size = asked;
  const auto holds = [](const Exactness& one) {
    return static_cast<double>(one.inexact) <= most_inexact * static_cast<double>(one.tiles);
  };
  for (int most = std::max(asked[0], asked[1]) - 1; most >= 2; --most) {
    size = {std::min(asked[0], most), std::min(asked[1], most)};
    largest_ = {size[0], size[1]};
    std::vector<Tile> tiles = tiles_of(size);
    if (holds(measured_by_all(tiles, listener))) break;
  }
  std::ostringstream text;
  text << "evp_block = " << asked[0] << " x " << asked[1]
       << " is too large for evp: marches through such blocks are unstable, with errors of up to "
       << found.worst << " of the right-hand side; the largest blocks that hold have " << size[0]
       << " x " << size[1] << " cells";
  throw std::invalid_argument(text.str());
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
  std::vector<Tile> tiles;
  if (context_.real) tiles = tiles_of(context_.layout.setting().tile);
  const Exactness found = measured_by_all(tiles, listener);
  if (context_.real &&
      static_cast<double>(found.inexact) > most_inexact * static_cast<double>(found.tiles))
    refuse(found, listener);
  bound_inverse(listener);
}

}  // namespace phasewise::ocean
