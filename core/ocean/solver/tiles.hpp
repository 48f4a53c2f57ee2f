// The preconditioner evp: the operator without its couplings between tiles, solved exactly, several
// tiles at once. A tile of land alone is left out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ocean/solver/march.hpp"
#include "ocean/solver/system.hpp"

namespace phasewise::ocean {

// A march whose error is too large is followed by one for what it has left. If that does not help,
// or land stops the march, the tile is factorised.
enum class TileWay : std::uint8_t { march, march_twice, factors };

// A tile's place: the first cell in the planes of its rank.
struct Tile {
  int part, row;  // the block, and its first row of cells
  std::int64_t origin;
  TileShape shape;
  TileWay way;
};

// Tiles of one shape that are solved together in one way, one in each lane; the last one fills
// lanes that are left.
struct TileGroup {
  TileShape shape;
  TileWay way;
  int count;

  bool marches() const { return way != TileWay::factors; }

  std::array<std::int64_t, parallel::lanes> origins;
  std::int64_t data;  // where its coefficients and influence, or its factors, begin [lanes]
};

// Rows of tiles whose right-hand side stays in the cache, and their groups.
struct TileStripe {
  int part, first_row, last_row;  // rows of cells of a block
  int first, last;                // groups
};

class Tiles {
 public:
  // Both must outlive it. Throws std::invalid_argument with one sentence if marches through tiles
  // of this size are not exact enough in the open sea.
  Tiles(const Context& context, const System& system);

  // Prepares the tiles of the system. Collective.
  void set(workload::Listener& listener);

  // A bound of the eigenvalues of the inverse. It is one if no coupling within a tile is positive.
  double largest_inverse() const { return largest_inverse_; }

  // Solves for r, a plane, and calls row(place, cells, solution) for each row of each tile.
  template <class F>
  void solve(const double* r, F&& row) const;
  // Calls row(place, cells, solution, sums), and returns what all rows have added.
  template <int Number, class F>
  workload::PartialSums<Number> sums(const double* r, const workload::Bounds<Number>& bounds,
                                     F&& row) const;

  // The same with the right-hand side that right(place, cells, r) computes for spans of the sea
  // just before it is needed; r is its first value.
  template <class Right, class F>
  void solve_for(Right&& right, F&& row) const;

  // Of a cell: what a solve computes, and reads of memory besides r.
  double flops() const;
  double bytes() const;

 private:
  struct Scratch {
    parallel::Buffer<Lanes> right, solution, defects, left, correction;
    parallel::Buffer<double> rows;    // [lane][row][row_doubles]
    parallel::Buffer<double> stripe;  // the right-hand side of a stripe
  };
  // What a group of tiles takes [lanes].
  static std::int64_t data_size(const TileShape& shape, TileWay way);
  void check_size() const;
  std::vector<Tile> tiles_of() const;
  void group(const std::vector<Tile>& tiles);
  void append_groups(const std::vector<Tile>& tiles, std::int64_t& size);
  void find_spans();
  void fill(const TileGroup& group);
  bool improve(std::vector<Tile>& tiles, TileWay way);
  void bound_inverse(workload::Listener& listener);
  void make_scratch();

  void load_right(const TileGroup& group, const double* r, Scratch& scratch) const;
  void solve_group(const TileGroup& group, const double* r, Scratch& scratch) const;
  void solve_right(const TileGroup& group, Scratch& scratch) const;
  void march_for(const TileGroup& group, Scratch& scratch) const;
  void factor_for(const TileGroup& group, Scratch& scratch) const;
  TileCoefficients coefficients_of(const TileGroup& group) const;
  void store_rows(const TileGroup& group, Scratch& scratch) const;
  int row_doubles() const;
  template <class F>
  void each_row(const TileGroup& group, const Scratch& scratch, F&& row) const;

  const Context& context_;
  const System& system_;
  TileShape largest_;  // of the grid
  std::vector<TileStripe> stripes_;
  std::vector<TileGroup> groups_;          // stripe by stripe
  std::vector<std::vector<SeaSpan>> sea_;  // of each stripe
  parallel::Buffer<Lanes> data_;
  mutable std::vector<Scratch> scratch_;  // of each thread
  double largest_inverse_ = 1.0;
};

template <class F>
void Tiles::each_row(const TileGroup& group, const Scratch& scratch, F&& row) const {
  for (int lane = 0; lane < group.count; ++lane)
    for (int j = 0; j < group.shape.n; ++j)
      row(group.origins[lane] + j * context_.planes.pitch(), group.shape.m,
          scratch.rows.data() + (lane * group.shape.n + j) * row_doubles());
}

template <class F>
void Tiles::solve(const double* r, F&& row) const {
  parallel::for_tasks(static_cast<int>(groups_.size()), context_.threads, [&](int g, int thread) {
    solve_group(groups_[g], r, scratch_[thread]);
    each_row(groups_[g], scratch_[thread], row);
  });
}

template <class Right, class F>
void Tiles::solve_for(Right&& right, F&& row) const {
  parallel::for_tasks(static_cast<int>(stripes_.size()), context_.threads, [&](int s, int thread) {
    const TileStripe& stripe = stripes_[s];
    Scratch& scratch = scratch_[thread];
    const std::int64_t begin = context_.planes.at(stripe.part, 0, stripe.first_row);
    // Where the plane of the right-hand side would begin.
    double* r = scratch.stripe.data() - begin;
    // Another stripe has left values where this one has land.
    std::fill_n(scratch.stripe.data(), scratch.stripe.size(), 0.0);
    for (const SeaSpan& span : sea_[s]) right(span.at, span.cells, r + span.at);
    for (int g = stripe.first; g < stripe.last; ++g) {
      solve_group(groups_[g], r, scratch);
      each_row(groups_[g], scratch, row);
    }
  });
}

template <int Number, class F>
workload::PartialSums<Number> Tiles::sums(const double* r, const workload::Bounds<Number>& bounds,
                                          F&& row) const {
  std::vector<workload::PartialSums<Number>> of_group(groups_.size());
  parallel::for_tasks(static_cast<int>(groups_.size()), context_.threads, [&](int g, int thread) {
    RowSums<Number> sums(bounds, context_.all_cells());
    solve_group(groups_[g], r, scratch_[thread]);
    each_row(groups_[g], scratch_[thread], [&](std::int64_t at, int cells, const double* solution) {
      row(at, cells, solution, sums);
    });
    of_group[g] = sums.parts();
  });
  workload::PartialSums<Number> all{};
  for (const workload::PartialSums<Number>& sums : of_group) add<Number>(all, sums);
  return all;
}

}  // namespace phasewise::ocean
