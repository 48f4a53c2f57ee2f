// Loops over the rows of a rank's blocks, in vectors along x. Each cell is computed by the same
// operations in the same order, whatever the vector it is in, and sums are exact
// (numerics/order_free_sum.hpp), so that the bits depend neither on blocks, ranks nor threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "numerics/order_free_sum.hpp"
#include "ocean/row_loops.hpp"
#include "ocean/solver/context.hpp"
#include "parallel/loops.hpp"
#include "parallel/simd.hpp"
#include "workload/bounded_sums.hpp"

namespace phasewise::ocean {

using parallel::fused;
using parallel::load;
using parallel::store;

// Calls f(place of the row's first cell, cells) for each whole row of the blocks, wider by `ring`
// cells on all sides.
template <class F>
void for_rows(const Context& context, int ring, F&& f) {
  const Planes& planes = context.planes;
  parallel::for_tasks(static_cast<int>(context.bands.size()), context.threads, [&](int b, int) {
    const Band& band = context.bands[b];
    const Planes::Part& part = planes.parts()[band.part];
    const int first = band.first == 0 ? -ring : band.first;
    const int last = band.last == part.ny ? part.ny + ring : band.last;
    for (int j = first; j < last; ++j) f(planes.at(band.part, -ring, j), part.nx + 2 * ring);
  });
}

// The same of the sea alone, with some land between; `ring` is less than the ghosts.
template <class F>
void for_sea(const Context& context, int ring, F&& f) {
  parallel::for_tasks(static_cast<int>(context.bands.size()), context.threads, [&](int b, int) {
    for (const SeaSpan& span : context.sea[ring][b]) f(span.at, span.cells);
  });
}

// Flops of adding a term to a sum: it is split in two parts, and both are added.
inline constexpr double flops_of_sum = 7.0;

// The sums of one thread's terms.
template <int Number>
class RowSums {
 public:
  RowSums(const workload::Bounds<Number>& bounds, std::int64_t terms) {
    for (int i = 0; i < Number; ++i) grids_[i] = numerics::OrderFreeGrid(bounds[i], terms);
  }

  template <class V>
  PHASEWISE_HD void add(const std::array<V, Number>& terms) {
#pragma GCC unroll 4
    for (int i = 0; i < Number; ++i) {
      const double upper = grids_[i].high_offset, lower = grids_[i].low_offset;
      const V high = (terms[i] + upper) - upper;
      const V low = ((terms[i] - high) + lower) - lower;
      if constexpr (lanes_of<V> == parallel::lanes) {
        whole_[i][0] += high;
        whole_[i][1] += low;
      } else if constexpr (lanes_of<V> > 1) {
        few_[i][0] += high;
        few_[i][1] += low;
      } else {
        rest_[i][0] += high;
        rest_[i][1] += low;
      }
    }
  }
  workload::PartialSums<Number> parts() const {
    workload::PartialSums<Number> parts = rest_;
    for (int i = 0; i < Number; ++i)
      for (int part = 0; part < 2; ++part) {
        for (int lane = 0; lane < parallel::lanes; ++lane) parts[i][part] += whole_[i][part][lane];
        for (int lane = 0; lane < lanes_of<Few>; ++lane) parts[i][part] += few_[i][part][lane];
      }
    return parts;
  }

 private:
  std::array<numerics::OrderFreeGrid, Number> grids_;
  Lanes whole_[Number][2] = {};
  Few few_[Number][2] = {};
  workload::PartialSums<Number> rest_{};
};

template <int Number>
void add(workload::PartialSums<Number>& sums, const workload::PartialSums<Number>& more) {
  for (int i = 0; i < Number; ++i)
    for (int part = 0; part < 2; ++part) sums[i][part] += more[i][part];
}

// Calls f(place, cells, sums) for the sea, and returns what all have added.
template <int Number, class F>
workload::PartialSums<Number> sums_over_sea(const Context& context,
                                            const workload::Bounds<Number>& bounds, F&& f) {
  std::vector<workload::PartialSums<Number>> of_band(context.bands.size());
  parallel::for_tasks(static_cast<int>(context.bands.size()), context.threads, [&](int b, int) {
    RowSums<Number> sums(bounds, context.all_cells());
    for (const SeaSpan& span : context.sea[0][b]) f(span.at, span.cells, sums);
    of_band[b] = sums.parts();
  });
  workload::PartialSums<Number> all{};
  for (const workload::PartialSums<Number>& sums : of_band) add<Number>(all, sums);
  return all;
}

}  // namespace phasewise::ocean
