// The transforms between products on the grid and coefficients of the state, with the sums over
// latitudes: a rank sums the wavenumbers that it keeps by itself, or all ranks sum all wavenumbers
// at their own latitudes, and add up block by block while the next block is computed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sphere/spectral.hpp"
#include "sphere/tendencies.hpp"
#include "sphere/transforms.hpp"

namespace phasewise::sphere {

// The coefficients that a rank keeps, [coefficient][state][re, im][level].
using State = parallel::Buffer<double>;

class CoefficientTransforms {
 public:
  // As Transforms.
  CoefficientTransforms(const Description& description, const workload::Nodes& nodes,
                        const exchange::TeamPointer& team, workload::Contents contents, int threads,
                        const Transforms* others = nullptr);

  const Transforms& transforms() const { return transforms_; }
  const Division& division() const { return transforms_.division(); }
  const std::vector<Block>& blocks() const { return blocks_; }
  // The number of coefficients that this rank keeps, and the doubles before those of a place.
  std::int64_t count() const { return division().coefficients_of(transforms_.places()); }
  std::int64_t offset_of(int place) const;

  // From products on the grid to `to`. `fill` writes the rows of a product.
  using Fill = std::function<void(int pair, int field, Complex* rows)>;
  void analyse(workload::Listener& listener, Meaning meaning, const Fill& fill, State& to);
  // From a state to the fields of `grid`.
  void synthesise(workload::Listener& listener, const State& from, const Transforms::Place& rows);

 private:
  using Places = std::span<const int>;

  void note_largest(int pair, int field, const Complex* rows, int thread);
  void find_grids(workload::Listener& listener, Meaning meaning);
  parallel::KernelCard card_of_analysis() const;
  // Sums the groups of latitudes of this rank, for some places, where `to` says; then calls
  // `after`.
  using SumsOf = std::function<double*(int place, int thread)>;
  using After = std::function<void(int place, const double* sums)>;
  void analyse_places(Places places, Meaning meaning, const SumsOf& to, const After& after);
  void sum_blocks(workload::Listener& listener, Meaning meaning, State& to);
  // Writes the sums of a place into a state.
  void take(int place, const double* sums, State& to) const;
  void synthesise_places(Places places, const std::function<const double*(int place)>& from);
  void share_blocks(workload::Listener& listener, const State& from);
  double functions_of(Places places) const;
  std::int64_t words() const { return order_free_ ? 2 : 1; }
  exchange::ItemBuffer slot(std::size_t block);
  // Where the coefficients of a place begin in its block [coefficients].
  std::int64_t begin_of(int place) const { return begins_[place]; }

  const Description& description_;
  Transforms transforms_;
  exchange::TeamPointer team_;
  bool real_, order_free_;
  std::vector<int> own_places_;
  std::vector<Block> blocks_;                          // empty unless ranks add up
  std::vector<std::vector<int>> block_places_;         // of each block
  std::vector<std::int64_t> begins_;                   // of each place
  std::vector<std::vector<ProductFactors>> factors_;   // of each place; empty in plans
  std::vector<double> largest_;                        // [thread][product][level]
  ExactGrids grids_;                                   // empty: plain sums
  std::vector<parallel::Buffer<double>> rows_, sums_;  // of each thread
  parallel::Buffer<double> slots_[2];                  // of two blocks under way
};

}  // namespace phasewise::sphere
