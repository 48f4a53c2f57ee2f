#include "ocean/solver/tiles.hpp"

#include <algorithm>

#include "linear/square_of_lanes.hpp"
#include "ocean/solver/influence.hpp"
#include "ocean/solver/sparse_factor.hpp"

namespace phasewise::ocean {
namespace {

// Tiles of other shapes leave values where the frame is.
void clear_frame(const TileShape& shape, Lanes* z) {
  std::fill_n(z, shape.width(), Lanes{});
  for (int j = 0; j < shape.n; ++j) z[shape.framed(-1, j)] = z[shape.framed(shape.m, j)] = Lanes{};
  std::fill_n(z + shape.framed(-1, shape.n), shape.width(), Lanes{});
}

}  // namespace

Tiles::Tiles(const Context& context, const System& system)
    : context_(context),
      system_(system),
      largest_{widest_tile(context.layout.tiles(0)), widest_tile(context.layout.tiles(1))},
      scratch_(static_cast<std::size_t>(context.threads)) {
  check_marches("evp_block", context.layout.setting().tile, largest_);
}

// Three marches of some twenty flops a cell, and two products with the influence.
double Tiles::flops() const {
  const double guesses = largest_.guesses();
  return 3.0 * 20.0 + 4.0 * guesses * guesses / largest_.cells();
}
double Tiles::bytes() const {
  using K = TileCoefficients;
  const std::int64_t guesses = largest_.guesses();
  const std::int64_t values = K::size(largest_) + K::inverses(largest_) + guesses * guesses;
  return 8.0 * static_cast<double>(values) / largest_.cells();
}

int Tiles::row_doubles() const { return (largest_.m + lanes - 1) / lanes * lanes; }

void Tiles::make_scratch() {
  const TileShape most = largest_;
  for (Scratch& scratch : scratch_) {
    scratch.correction = parallel::Buffer<Lanes>(most.framed());
    // Behind a tile lies what a whole vector of the last row's cells reads.
    for (parallel::Buffer<Lanes>* tile : {&scratch.right, &scratch.solution}) {
      *tile = parallel::Buffer<Lanes>(most.framed() + lanes);
      std::fill_n(tile->data(), tile->size(), Lanes{});
    }
    scratch.defects = parallel::Buffer<Lanes>(most.guesses());
    scratch.rows = parallel::Buffer<double>(std::int64_t{lanes} * most.n * row_doubles());
  }
}

// Takes the cells of all tiles, row by row, into lanes.
void Tiles::load_right(const TileGroup& group, const double* r, Scratch& scratch) const {
  const auto [m, n] = group.shape;
  // The data of the next group lie behind these, if it has the same shape and way; asking for
  // others does no harm. Only those of a solve are needed.
  scratch.ahead = coefficients_of(group).values + size_of(group.shape, group.way);
  if (!group.marches()) scratch.ahead += TileCoefficients::size(group.shape);
  scratch.asked_before = false;
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

// The same with the cells around each tile.
void Tiles::load_framed(const TileGroup& group, const double* y, Scratch& scratch) const {
  constexpr int asked_by_square = 12;
  const int width = group.shape.width();
  for (int j = -1; j <= group.shape.n; ++j) {
    Lanes* to = scratch.correction.data() + group.shape.framed(-1, j);
    for (int i = 0; i < width; i += lanes) {
      Lanes square[lanes];
      for (int lane = 0; lane < lanes; ++lane)
        square[lane] = load(y + group.origins[lane] + j * context_.planes.pitch() + i - 1);
      linear::transpose(square);
      square[0] = asked<asked_by_square>(scratch.ahead, square[0]);
      scratch.ahead += asked_by_square;
      std::copy_n(square, std::min(lanes, width - i), to + i);
    }
  }
}

void Tiles::keep_right(const double* b) {
  parallel::for_tasks(static_cast<int>(groups_.size()), context_.threads, [&](int g, int thread) {
    load_right(groups_[g], b, scratch_[thread]);
    std::copy_n(scratch_[thread].right.data(), groups_[g].shape.cells(),
                data_.data() + groups_[g].data);
  });
}

// The coefficients that the march needs serve the residual too.
void Tiles::load_residual(const TileGroup& group, const double* y, Scratch& scratch) const {
  scratch.ahead = data_.data() + group.data + size_of(group.shape, group.way);
  scratch.asked_before = true;
  std::copy_n(data_.data() + group.data, group.shape.cells(), scratch.right.data());
  load_framed(group, y, scratch);
  residuals(coefficients_of(group), scratch.right.data(), scratch.correction.data(), scratch.ahead);
}

// Asks the processor for the rows of tiles.
void Tiles::ask_for(const TileGroup& group, const std::array<const double*, 2>& planes) const {
  for (int j = 0; j < group.shape.n; ++j)
    for (int lane = 0; lane < group.count; ++lane)
      for (const double* plane : planes)
        for (int i = 0; i < group.shape.m; i += lanes)
          __builtin_prefetch(plane + group.origins[lane] + j * context_.planes.pitch() + i, 0, 2);
}

TileCoefficients Tiles::coefficients_of(const TileGroup& group) const {
  const Lanes* values = data_.data() + group.data + group.shape.cells();
  return {group.shape, values, values + TileCoefficients::size(group.shape)};
}

const Lanes* Tiles::influence_of(const TileGroup& group) const {
  return coefficients_of(group).inverse + TileCoefficients::inverses(group.shape);
}

template <int Asked>
void Tiles::march_for(const TileGroup& group, Scratch& scratch) const {
  const TileCoefficients a = coefficients_of(group);
  const Lanes *influence = influence_of(group), *f = scratch.right.data();
  Lanes *z = scratch.solution.data(), *found = scratch.defects.data();
  clear_frame(group.shape, z);
  solve_by_march<Asked>(a, influence, f, z, found, scratch.ahead);
  if (group.way == TileWay::march) return;
  clear_frame(group.shape, scratch.correction.data());
  correct<Asked>(a, influence, f, z, found, scratch.correction.data(), scratch.ahead);
}

const Dissection& Tiles::dissection_of(const TileShape& shape) const {
  return *std::ranges::find(dissections_, shape, &Dissection::shape);
}

void Tiles::factor_for(const TileGroup& group, Scratch& scratch) const {
  const Dissection& order = dissection_of(group.shape);
  Lanes *tile = scratch.right.data(), *y = scratch.solution.data();
  for (int c = 0; c < group.shape.cells(); ++c) y[order.numbers()[c]] = tile[c];
  const Lanes* factors = coefficients_of(group).values + TileCoefficients::size(group.shape);
  solve_by_factors(order, factors, y, scratch.ahead);
  for (int c = 0; c < group.shape.cells(); ++c) tile[c] = y[order.numbers()[c]];
}

void Tiles::solve_right(const TileGroup& group, Scratch& scratch) const {
  if (!group.marches()) return factor_for(group, scratch);
  if (scratch.asked_before)
    march_for<asked_by_march>(group, scratch);
  else
    march_for<asked_by_march_alone>(group, scratch);
}

void Tiles::store_rows(const TileGroup& group, Scratch& scratch) const {
  const auto [m, n] = group.shape;
  for (int j = 0; j < n; ++j) {
    const Lanes* from = group.marches() ? scratch.solution.data() + group.shape.framed(0, j)
                                        : scratch.right.data() + j * m;
    for (int i = 0; i < m; i += lanes) {
      Lanes square[lanes];
      std::copy_n(from + i, lanes, square);
      linear::transpose(square);
      for (int lane = 0; lane < lanes; ++lane)
        store(scratch.rows.data() + (lane * n + j) * row_doubles() + i, square[lane]);
    }
  }
}

// Solves for what has been loaded; the next group will reach these planes.
void Tiles::solve_group(int number, const std::array<const double*, 2>& planes,
                        Scratch& scratch) const {
  if (number + 1 < std::ssize(groups_)) ask_for(groups_[number + 1], planes);
  solve_right(groups_[number], scratch);
  store_rows(groups_[number], scratch);
}

}  // namespace phasewise::ocean
