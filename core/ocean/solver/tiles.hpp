// The preconditioner evp: the operator without its couplings between tiles, solved exactly, several
// tiles at once. A tile of land alone is left out.
#pragma once

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

class Tiles {
 public:
  // Both must outlive it.
  Tiles(const Context& context, const System& system);

  // Prepares the tiles of the system. Collective; throws std::invalid_argument with one sentence,
  // the same on all ranks, if most of the marches are not exact enough.
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

  // Of a cell: what a solve computes, and reads of memory besides r.
  double flops() const;
  double bytes() const;

 private:
  struct Scratch {
    parallel::Buffer<Lanes> right, solution, defects, left, correction;
    parallel::Buffer<double> rows;  // [lane][row][row_doubles]
  };
  // The largest error of marches in tiles of a size, how many there are, and how many of them are
  // not exact enough.
  struct Exactness {
    double worst = 0.0;
    std::int64_t tiles = 0, inexact = 0;
  };

  std::vector<Tile> tiles_of(const std::array<int, 2>& size) const;
  void group(const std::vector<Tile>& tiles);
  void fill(const TileGroup& group);
  Exactness measure(std::vector<Tile>& tiles, TileWay way);
  Lanes error_of(const TileGroup& group);
  Exactness measured_by_all(std::vector<Tile>& tiles, workload::Listener& listener);
  [[noreturn]] void refuse(const Exactness& found, workload::Listener& listener);
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

  const Context& context_;
  const System& system_;
  TileShape largest_;  // of the grid
  std::vector<TileGroup> groups_;
  parallel::Buffer<Lanes> data_;
  mutable std::vector<Scratch> scratch_;  // of each thread
  double largest_inverse_ = 1.0;
};

template <class F>
void Tiles::solve(const double* r, F&& row) const {
  parallel::for_tasks(static_cast<int>(groups_.size()), context_.threads, [&](int g, int thread) {
    const TileGroup& group = groups_[g];
    Scratch& scratch = scratch_[thread];
    solve_group(group, r, scratch);
    const double* solution = scratch.rows.data();
    for (int lane = 0; lane < group.count; ++lane)
      for (int j = 0; j < group.shape.n; ++j)
        row(group.origins[lane] + j * context_.planes.pitch(), group.shape.m,
            solution + (lane * group.shape.n + j) * row_doubles());
  });
}

template <int Number, class F>
workload::PartialSums<Number> Tiles::sums(const double* r, const workload::Bounds<Number>& bounds,
                                          F&& row) const {
  std::vector<workload::PartialSums<Number>> of_group(groups_.size());
  parallel::for_tasks(static_cast<int>(groups_.size()), context_.threads, [&](int g, int thread) {
    const TileGroup& group = groups_[g];
    Scratch& scratch = scratch_[thread];
    solve_group(group, r, scratch);
    RowSums<Number> sums(bounds, context_.all_cells());
    const double* solution = scratch.rows.data();
    for (int lane = 0; lane < group.count; ++lane)
      for (int j = 0; j < group.shape.n; ++j)
        row(group.origins[lane] + j * context_.planes.pitch(), group.shape.m,
            solution + (lane * group.shape.n + j) * row_doubles(), sums);
    of_group[g] = sums.parts();
  });
  workload::PartialSums<Number> all{};
  for (const workload::PartialSums<Number>& sums : of_group) add<Number>(all, sums);
  return all;
}

}  // namespace phasewise::ocean
