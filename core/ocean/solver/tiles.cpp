#include "ocean/solver/tiles.hpp"

#include <algorithm>

#include "linear/square_of_lanes.hpp"
#include "ocean/solver/band_factor.hpp"

namespace phasewise::ocean {
namespace {

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
      scratch_(static_cast<std::size_t>(context.threads)) {}

// Two marches take eleven operations a cell, and the influence is a product with a matrix.
double Tiles::flops() const {
  const double guesses = largest_.guesses();
  return 44.0 + 2.0 * guesses * guesses / largest_.cells();
}
double Tiles::bytes() const {
  const double guesses = largest_.guesses();
  return 8.0 * (4.0 + guesses * guesses / largest_.cells());
}

int Tiles::row_doubles() const { return (largest_.m + lanes - 1) / lanes * lanes; }

void Tiles::make_scratch() {
  TileShape most = largest_;
  for (Scratch& scratch : scratch_) {
    scratch.right = parallel::Buffer<Lanes>(most.cells());
    // Behind it lies what a whole vector of the last row's cells reads.
    const int size = std::max(most.framed(), most.cells() + band_of(most)) + lanes;
    scratch.solution = parallel::Buffer<Lanes>(size);
    std::fill_n(scratch.solution.data(), size, Lanes{});
    scratch.defects = parallel::Buffer<Lanes>(most.guesses());
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

void Tiles::solve_right(const TileGroup& group, Scratch& scratch) const {
  const Lanes* data = data_.data() + group.data;
  const TileShape& shape = group.shape;
  if (group.marches) {
    const TileCoefficients coefficients{shape, data, system_.stencil().north_west != nullptr};
    // The frame is zero even after tiles of another shape.
    std::fill_n(scratch.solution.data(), shape.width(), Lanes{});
    for (int j = 0; j <= shape.n; ++j) {
      scratch.solution[shape.framed(-1, j)] = Lanes{};
      scratch.solution[shape.framed(shape.m, j)] = Lanes{};
    }
    std::fill_n(scratch.solution.data() + shape.framed(-1, shape.n), shape.width(), Lanes{});
    solve_by_march(coefficients, data + TileCoefficients::size(shape), scratch.right.data(),
                   scratch.solution.data(), scratch.defects.data());
    return;
  }
  const int band = band_of(shape);
  std::fill_n(scratch.solution.data(), band, Lanes{});
  std::copy_n(scratch.right.data(), shape.cells(), scratch.solution.data() + band);
  solve_by_factors(shape, data, scratch.solution.data() + band);
}

void Tiles::store_rows(const TileGroup& group, Scratch& scratch) const {
  const auto [m, n] = group.shape;
  for (int j = 0; j < n; ++j) {
    const Lanes* from = scratch.solution.data() +
                        (group.marches ? group.shape.framed(0, j) : band_of(group.shape) + j * m);
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
