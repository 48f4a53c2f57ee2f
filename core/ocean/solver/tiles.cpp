#include "ocean/solver/tiles.hpp"

#include <algorithm>

#include "linear/square_of_lanes.hpp"
#include "ocean/solver/band_factor.hpp"

namespace phasewise::ocean {
namespace {

// Tiles of other shapes leave values where the frame is.
void clear_frame(const TileShape& shape, Lanes* z) {
  std::fill_n(z, shape.width(), Lanes{});
  for (int j = 0; j < shape.n; ++j) z[shape.framed(-1, j)] = z[shape.framed(shape.m, j)] = Lanes{};
  std::fill_n(z + shape.framed(-1, shape.n), shape.width(), Lanes{});
}

int widest(const std::vector<int>& cuts) {
  int most = 0;
  for (std::size_t i = 1; i < cuts.size(); ++i) most = std::max(most, cuts[i] - cuts[i - 1]);
  return most;
}

}  // namespace

Tiles::Tiles(const Context& context, const System& system)
    : context_(context),
      system_(system),
      largest_{widest(context.layout.tiles(0)), widest(context.layout.tiles(1))},
      scratch_(static_cast<std::size_t>(context.threads)) {
  check_size();
}

// Twice two marches of some twenty flops a cell, each time with a product with the influence, and
// what the first two have left.
double Tiles::flops() const {
  const double guesses = largest_.guesses();
  return 4.0 * 20.0 + 20.0 + 4.0 * guesses * guesses / largest_.cells();
}
double Tiles::bytes() const {
  const double guesses = largest_.guesses();
  return 8.0 * (5.0 + guesses * guesses / largest_.cells());
}

int Tiles::row_doubles() const { return (largest_.m + lanes - 1) / lanes * lanes; }

void Tiles::make_scratch() {
  const TileShape most = largest_;
  std::int64_t rows = 0;
  for (const TileStripe& stripe : stripes_)
    rows = std::max<std::int64_t>(rows, stripe.last_row - stripe.first_row);
  for (Scratch& scratch : scratch_) {
    scratch.right = parallel::Buffer<Lanes>(most.cells());
    scratch.left = parallel::Buffer<Lanes>(most.cells());
    scratch.correction = parallel::Buffer<Lanes>(most.framed());
    // Behind it lies what a whole vector of the last row's cells reads.
    const int size = std::max(most.framed(), most.cells() + band_of(most)) + lanes;
    scratch.solution = parallel::Buffer<Lanes>(size);
    std::fill_n(scratch.solution.data(), size, Lanes{});
    scratch.defects = parallel::Buffer<Lanes>(most.guesses());
    // Vectors of the last row's tiles may reach beyond it.
    scratch.stripe = parallel::Buffer<double>(rows * context_.planes.pitch() + lanes);
    std::fill_n(scratch.stripe.data(), scratch.stripe.size(), 0.0);
    scratch.rows = parallel::Buffer<double>(std::int64_t{lanes} * most.n * row_doubles());
  }
}

// Takes the cells of all tiles, row by row, into lanes.
void Tiles::load_right(const TileGroup& group, const double* r, Scratch& scratch) const {
  const auto [m, n] = group.shape;
  for (int j = 0; j < n; ++j) {
    Lanes* to = scratch.right.data() + std::int64_t{j} * m;
    for (int i = 0; i < m; i += lanes) {
      Lanes square[lanes];
      for (int lane = 0; lane < lanes; ++lane)
        square[lane] = load(r + group.origins[lane] + j * context_.planes.pitch() + i);
      linear::transpose(square);
      std::copy_n(square, std::min(lanes, m - i), to + i);
    }
  }
}

TileCoefficients Tiles::coefficients_of(const TileGroup& group) const {
  return {group.shape, data_.data() + group.data};
}

void Tiles::march_for(const TileGroup& group, Scratch& scratch) const {
  const TileShape& shape = group.shape;
  const TileCoefficients a = coefficients_of(group);
  const Lanes* influence = a.values + TileCoefficients::size(shape);
  // The data of the next group lie behind these.
  const Lanes* ahead = a.values + data_size(shape, group.way);
  Lanes* z = scratch.solution.data();
  clear_frame(shape, z);
  if (group.way == TileWay::march)
    return solve_by_march(a, influence, scratch.right.data(), z, scratch.defects.data(), ahead);
  clear_frame(shape, scratch.correction.data());
  solve_by_two_marches(a, influence, scratch.right.data(), z,
                       {scratch.defects.data(), scratch.left.data(), scratch.correction.data()},
                       ahead);
}

void Tiles::factor_for(const TileGroup& group, Scratch& scratch) const {
  const int band = band_of(group.shape);
  std::fill_n(scratch.solution.data(), band, Lanes{});
  std::copy_n(scratch.right.data(), group.shape.cells(), scratch.solution.data() + band);
  solve_by_factors(group.shape, data_.data() + group.data, scratch.solution.data() + band);
}

void Tiles::solve_right(const TileGroup& group, Scratch& scratch) const {
  if (group.marches())
    march_for(group, scratch);
  else
    factor_for(group, scratch);
}

void Tiles::store_rows(const TileGroup& group, Scratch& scratch) const {
  const auto [m, n] = group.shape;
  for (int j = 0; j < n; ++j) {
    const Lanes* from = scratch.solution.data() +
                        (group.marches() ? group.shape.framed(0, j) : band_of(group.shape) + j * m);
    for (int i = 0; i < m; i += lanes) {
      Lanes square[lanes];
      std::copy_n(from + i, lanes, square);
      linear::transpose(square);
      for (int lane = 0; lane < lanes; ++lane)
        store(scratch.rows.data() + (lane * n + j) * row_doubles() + i, square[lane]);
    }
  }
}

void Tiles::solve_group(const TileGroup& group, const double* r, Scratch& scratch) const {
  load_right(group, r, scratch);
  solve_right(group, scratch);
  store_rows(group, scratch);
}

}  // namespace phasewise::ocean
