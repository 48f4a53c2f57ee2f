// The preconditioner evp: the operator without its couplings between tiles, solved exactly, several
// tiles at once. A tile of land alone is left out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ocean/solver/dissection.hpp"
#include "ocean/solver/system.hpp"

namespace phasewise::ocean {

// A march whose error is too large is corrected. If that does not help, or land stops the march,
// the tile is factorised.
enum class TileWay : std::uint8_t { march, corrected_march, factors };

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
  // Where its right-hand side, its coefficients, and its inverses and influence, or its factors,
  // begin [lanes].
  std::int64_t data;
};

class Tiles {
 public:
  // Both must outlive it. Throws std::invalid_argument with one sentence if marches through tiles
  // of this size are not exact enough in the open sea.
  Tiles(const Context& context, const System& system);

  // Prepares the tiles of the system. Collective.
  void set(workload::Listener& listener);

  // A bound of the eigenvalues of the inverse, if no coupling within a tile is positive.
  double largest_inverse() const { return largest_inverse_; }

  // Solves for r, a plane, and calls row(place, cells, solution) for each row of each tile. row()
  // also reaches a plane, for which the processor is asked beforehand.
  template <class F>
  void solve(const double* r, const double* reached, F&& row) const;
  // Calls row(place, cells, solution, sums), and returns what all rows have added.
  template <int Number, class F>
  workload::PartialSums<Number> sums(const double* r, const double* reached,
                                     const workload::Bounds<Number>& bounds, F&& row) const;

  // Keeps b, a plane.
  void keep_right(const double* b);
  // The same as solve() for b - A y, with the b that is kept; y has its ghosts.
  template <class F>
  void solve_residual(const double* y, const double* reached, F&& row) const;

  // Of a cell: what a solve computes, and reads of memory besides r.
  double flops() const;
  double bytes() const;

 private:
  struct Scratch {
    parallel::Buffer<Lanes> right, solution, defects, correction;
    parallel::Buffer<double> rows;  // [lane][row][row_doubles]
    const Lanes* ahead;             // what the processor is asked for next
    bool asked_before;  // whether loading the right-hand side has asked for data already
  };
  // What a group of tiles takes [lanes].
  std::int64_t size_of(const TileShape& shape, TileWay way) const;
  const Dissection& dissection_of(const TileShape& shape) const;
  std::vector<Tile> tiles_of() const;
  void group(const std::vector<Tile>& tiles);
  void append_groups(const std::vector<Tile>& tiles, std::int64_t& size);
  void fill(const TileGroup& group);
  bool improve(std::vector<Tile>& tiles, TileWay way);
  void bound_inverse(workload::Listener& listener);
  void make_scratch();

  void load_right(const TileGroup& group, const double* r, Scratch& scratch) const;
  void load_framed(const TileGroup& group, const double* y, Scratch& scratch) const;
  void load_residual(const TileGroup& group, const double* y, Scratch& scratch) const;
  void ask_for(const TileGroup& group, const std::array<const double*, 2>& planes) const;
  void solve_group(int number, const std::array<const double*, 2>& planes, Scratch& scratch) const;
  void solve_right(const TileGroup& group, Scratch& scratch) const;
  template <int Asked>
  void march_for(const TileGroup& group, Scratch& scratch) const;
  void factor_for(const TileGroup& group, Scratch& scratch) const;
  TileCoefficients coefficients_of(const TileGroup& group) const;
  const Lanes* influence_of(const TileGroup& group) const;
  void store_rows(const TileGroup& group, Scratch& scratch) const;
  int row_doubles() const;
  template <class F>
  void each_row(const TileGroup& group, const Scratch& scratch, F&& row) const;

  const Context& context_;
  const System& system_;
  TileShape largest_;  // of the grid
  std::vector<TileGroup> groups_;
  std::vector<Dissection> dissections_;  // of the shapes of tiles that are factorised
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
void Tiles::solve(const double* r, const double* reached, F&& row) const {
  parallel::for_tasks(static_cast<int>(groups_.size()), context_.threads, [&](int g, int thread) {
    load_right(groups_[g], r, scratch_[thread]);
    solve_group(g, {r, reached}, scratch_[thread]);
    each_row(groups_[g], scratch_[thread], row);
  });
}

template <class F>
void Tiles::solve_residual(const double* y, const double* reached, F&& row) const {
  parallel::for_tasks(static_cast<int>(groups_.size()), context_.threads, [&](int g, int thread) {
    load_residual(groups_[g], y, scratch_[thread]);
    solve_group(g, {y, reached}, scratch_[thread]);
    each_row(groups_[g], scratch_[thread], row);
  });
}

template <int Number, class F>
workload::PartialSums<Number> Tiles::sums(const double* r, const double* reached,
                                          const workload::Bounds<Number>& bounds, F&& row) const {
  std::vector<workload::PartialSums<Number>> of_group(groups_.size());
  parallel::for_tasks(static_cast<int>(groups_.size()), context_.threads, [&](int g, int thread) {
    RowSums<Number> sums(bounds, context_.all_cells());
    load_right(groups_[g], r, scratch_[thread]);
    solve_group(g, {r, reached}, scratch_[thread]);
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
