// The overlap of two charges on the mesh, row by row, and the cards of its kernels.
#pragma once

#include <cstdint>

#include "collision/mesh/mesh_levels.hpp"
#include "numerics/order_free_sum.hpp"
#include "parallel/kernel.hpp"
#include "parallel/macros.hpp"

namespace phasewise::collision {

// The charge of a slice between the planes where it meets the head and the tail of the opposing
// one, on mesh level `to`, in rows of ny nodes.
struct EffectiveCharge {
  const double* at_head;
  const double* at_tail;
  double* out;
  double place;  // 0 at the tail, 1 at the head
  int head_level, tail_level, to;
  Coarsening coarsening;

  static constexpr int most_levels = 3;  // largest difference for work by nodes

  PHASEWISE_HD bool has_near_levels() const {
    return head_level - to <= most_levels && tail_level - to <= most_levels;
  }
  // Computes node j of row i, if the levels are near.
  PHASEWISE_HD void node(std::int64_t i, int j) const {
    const std::int64_t at = i * coarsening.ny;
    const double h = coarsening.coarsened_node<most_levels>(at_head + at, head_level, to, j);
    const double l = coarsening.coarsened_node<most_levels>(at_tail + at, tail_level, to, j);
    out[at + j] = l + place * (h - l);
  }
  // `scratch` has room for 4 ny values.
  PHASEWISE_HD void row(std::int64_t i, double* scratch) const {
    const std::int64_t ny = coarsening.ny, at = i * ny;
    const double* h = coarsening.coarsened(at_head + at, head_level, to, scratch);
    const double* l = coarsening.coarsened(at_tail + at, tail_level, to, scratch + 2 * ny);
    for (int j = 0; j < ny; ++j) out[at + j] = l[j] + place * (h[j] - l[j]);
  }
};

// The nodes of a pair that both windows contain: row i of beam 1's window, from first to last, lies
// on row i + dx of beam 2's window, and likewise along y.
struct Overlap {
  const double* rho1;
  const double* rho2;
  int ny, dx, dy;
  int first, last;
  std::int64_t place;  // place of the pair in [slice of beam 1][slice of beam 2]

  static constexpr int terms = 4;  // per row, each the sum of every fourth node's product

  // Adds `count` of row i's terms, from first_term on.
  template <int count>
  PHASEWISE_HD void add_terms(int i, int first_term, double (&sum)[count]) const {
    const double* a = rho1 + static_cast<std::int64_t>(i) * ny + first_term;
    const double* b = rho2 + static_cast<std::int64_t>(i + dx) * ny + dy + first_term;
    const int j0 = dy < 0 ? -dy : 0, j1 = (dy > 0 ? ny - dy : ny) - first_term;
    for (int j = j0; j < j1; j += terms)
      for (int c = 0; c < (j1 - j < count ? j1 - j : count); ++c) sum[c] += a[j + c] * b[j + c];
  }
};

// One item is a node of the charge between two planes, in rows of `ny`.
parallel::KernelCard effective_charge_card(int ny);
// One item is a node of the overlap of two charges, in rows of `ny`.
parallel::KernelCard overlap_card(int ny);

}  // namespace phasewise::collision
