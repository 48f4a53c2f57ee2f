// Sums over sites of the traces of loops: plaquettes, rectangles, links and Polyakov loops. The
// sums for parts of a lattice add up to those of all its sites without rounding.
#pragma once

#include <array>
#include <vector>

#include "qcd/gauge/lane_matrices.hpp"
#include "qcd/gauge/links.hpp"
#include "workload/exact_sum.hpp"

namespace phasewise::qcd {

// Means, normalised so that they are 1 for unit matrices.
struct GaugeValues {
  double plaquette_space = 0.0, plaquette_time = 0.0, rectangle = 0.0, link_trace = 0.0;
  std::array<Complex, axes> polyakov{};

  double plaquette() const { return 0.5 * (plaquette_space + plaquette_time); }
};

// Plaquettes in space and with t, rectangles, links, and the real and imaginary parts of the loops
// along each axis.
inline constexpr int loop_values = 4 + 2 * axes;
using LoopSums = std::array<workload::Parts, loop_values>;

// Adds the plaquettes, rectangles and links that begin at these sites of a lattice of this size.
void add_local(const Links& links, const std::vector<Extents>& sites, const Extents& size,
               bool rectangles, int threads, LoopSums& sums);

// The same for all sites of a rank, several at once. Rectangles need two planes of halo.
void add_local(const LaneMatrices& links, const Domain& domain, bool rectangles, int threads,
               LoopSums& sums);

// Multiplies the product of each site of a box's face across an axis by the links of its line along
// that axis; with `first` the product begins with them.
void multiply_along(const Links& links, const Extents& box, int axis, bool first, int threads,
                    std::vector<Matrix>& product);

// Adds the traces of the first `lines` products along an axis of a lattice of this size.
void add_loops(const std::vector<Matrix>& product, std::int64_t lines, int axis,
               const Extents& size, int threads, LoopSums& sums);

// The means over a lattice of this size.
GaugeValues values_of(const LoopSums& sums, const Extents& size);

}  // namespace phasewise::qcd
