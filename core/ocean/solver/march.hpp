// Solves the operator on a tile, without its couplings to cells outside, by marching (error vector
// propagation: Roache, Numer. Heat Transfer 1 (1978) 1; for nine points Huang et al., Geosci. Model
// Dev. 9 (2016) 4209). The equation of cell (i, j) gives the value of (i + 1, j + 1), so that the
// values of the southern row and the western column determine all others. They follow from the
// equations of the eastern column and the northern row, which no march has used: these depend on
// them by a dense matrix, the influence. Errors grow with each step, so that tiles are small.
// Several tiles are solved at once, one in each lane.
#pragma once

#include <cstdint>

#include "parallel/simd.hpp"

namespace phasewise::ocean {

using parallel::fused;
using parallel::Lanes;
using parallel::lanes;

// `value`, once the processor has been asked for so many vectors, which it reads ahead by itself
// only within a page. They go into the second cache, since the first one has the tiles that are
// solved.
template <int Count>
PHASEWISE_HD Lanes asked(const Lanes* ahead, Lanes value) {
#pragma GCC unroll 16
  for (int i = 0; i < Count; ++i) __builtin_prefetch(ahead + i, 0, 2);
  return value;
}

// The size of a tile.
struct TileShape {
  int m = 0, n = 0;  // cells along x and y

  int cells() const { return m * n; }
  // The values that are guessed, and equations that are not marched through.
  int guesses() const { return m + n - 1; }
  // Values on a tile with a frame of zeros around them.
  int width() const { return m + 2; }
  int framed() const { return (m + 2) * (n + 2); }
  int framed(int i, int j) const { return (j + 1) * width() + i + 1; }
  bool operator==(const TileShape&) const = default;
};

// A tile's coefficients, [row][column][kind], with one more row and column of zeros to the south
// and west. `inverse` is that of north_east; north_west is stored even if it is the same.
struct TileCoefficients {
  enum Kind { east, north, north_east, north_west, inverse, kinds };

  TileShape shape;
  const Lanes* values;

  static std::int64_t size(const TileShape& shape) {
    return std::int64_t{kinds} * (shape.m + 1) * (shape.n + 1);
  }
  int row_stride() const { return kinds * (shape.m + 1); }
  // Those of the cell (i, j), both from -1 on.
  std::int64_t place(int i, int j) const {
    return kinds * (std::int64_t{j + 1} * (shape.m + 1) + i + 1);
  }
};

// Four marches ask for a tile's coefficients and influence.
inline constexpr int asked_by_step = 3;
inline int asked_by_march(const TileShape& shape) {
  return asked_by_step * (shape.m - 1) * (shape.n - 1);
}

// Marches from the southern row and the western column of z, a framed tile, through its equations
// with the right-hand side f, [n][m]; f null: zeros. Meanwhile the processor is asked for what lies
// `ahead` of the work.
inline void march(const TileCoefficients& a, const Lanes* f, Lanes* z, const Lanes* ahead) {
  using K = TileCoefficients;
  const auto [m, n] = a.shape;
  const int width = a.shape.width(), stride = a.row_stride();
  for (int j = 0; j + 1 < n; ++j) {
    const Lanes *here = z + a.shape.framed(0, j), *south = here - width;
    Lanes* above = z + a.shape.framed(0, j + 1);
    const Lanes *own = a.values + a.place(0, j), *below = own - stride;
    Lanes before_last{}, last = above[0];
    for (int i = 0; i + 1 < m; ++i) {
      Lanes sum = here[i];
      sum = fused(own[K::east], here[i + 1], sum);
      sum = fused(own[K::east - K::kinds], here[i - 1], sum);
      sum = fused(below[K::north], south[i], sum);
      sum = fused(below[K::north_east - K::kinds], south[i - 1], sum);
      sum = fused(below[K::north_west], south[i + 1], sum);
      // The values just found come last, so that a step waits for one operation alone.
      const Lanes inverse = asked<asked_by_step>(ahead, own[K::inverse]);
      Lanes next = ((f == nullptr ? Lanes{} : f[j * m + i]) - sum) * inverse;
      next = fused(-(own[K::north_west - K::kinds] * inverse), before_last, next);
      next = fused(-(own[K::north] * inverse), last, next);
      above[i + 1] = next;
      before_last = last;
      last = next;
      own += K::kinds;
      below += K::kinds;
      ahead += asked_by_step;
    }
  }
}

// f - A z at the cell (i, j) of a tile.
inline Lanes defect_at(const TileCoefficients& a, const Lanes* f, const Lanes* z, int i, int j) {
  using K = TileCoefficients;
  const Lanes* here = z + a.shape.framed(i, j);
  const int width = a.shape.width();
  const Lanes *own = a.values + a.place(i, j), *below = own - a.row_stride();
  Lanes sum = here[0], more = own[K::north_east] * here[width + 1];
  sum = fused(own[K::east], here[1], sum);
  more = fused(below[K::north_east - K::kinds], here[-width - 1], more);
  sum = fused(own[K::east - K::kinds], here[-1], sum);
  more = fused(own[K::north_west - K::kinds], here[width - 1], more);
  sum = fused(own[K::north], here[width], sum);
  more = fused(below[K::north_west], here[1 - width], more);
  sum = fused(below[K::north], here[-width], sum);
  return (f == nullptr ? Lanes{} : f[j * a.shape.m + i]) - (sum + more);
}

// The defects that no march removes: of the eastern column from the south, and then of the northern
// row from the west.
inline void defects(const TileCoefficients& a, const Lanes* f, const Lanes* z, Lanes* found) {
  const auto [m, n] = a.shape;
  for (int j = 0; j < n; ++j) *found++ = defect_at(a, f, z, m - 1, j);
  for (int i = 0; i + 1 < m; ++i) *found++ = defect_at(a, f, z, i, n - 1);
}

// Guess number k of a framed tile: the southern row from the west, and then the western column.
inline Lanes& guess(const TileShape& shape, Lanes* z, int k) {
  return z[k < shape.m ? shape.framed(k, 0) : shape.framed(0, k - shape.m + 1)];
}

// f - A z, [n][m].
inline void residuals(const TileCoefficients& a, const Lanes* f, const Lanes* z, Lanes* left) {
  for (int j = 0; j < a.shape.n; ++j)
    for (int i = 0; i < a.shape.m; ++i) *left++ = defect_at(a, f, z, i, j);
}

// z := the solution for f. `influence` gives the guesses for the defects of a march that begins
// with zeros, [guess][defect]. The frame of z is zero, and stays so.
inline void solve_by_march(const TileCoefficients& a, const Lanes* influence, const Lanes* f,
                           Lanes* z, Lanes* scratch, const Lanes* ahead) {
  const int guesses = a.shape.guesses();
  for (int k = 0; k < guesses; ++k) guess(a.shape, z, k) = Lanes{};
  march(a, f, z, ahead);
  defects(a, f, z, scratch);
  for (int k = 0; k < guesses; ++k) {
    Lanes even{}, odd{};
    int d = 0;
    for (; d + 1 < guesses; d += 2) {
      even = fused(influence[d], scratch[d], even);
      odd = fused(influence[d + 1], scratch[d + 1], odd);
    }
    if (d < guesses) even = fused(influence[d], scratch[d], even);
    guess(a.shape, z, k) = even + odd;
    influence += guesses;
  }
  march(a, f, z, ahead + asked_by_march(a.shape));
}

// What a march needs besides: framed tiles have a frame of zeros.
struct MarchScratch {
  Lanes *defects, *left, *framed;
};

// Solves again for what the first march has left.
inline void solve_by_two_marches(const TileCoefficients& a, const Lanes* influence, const Lanes* f,
                                 Lanes* z, const MarchScratch& scratch, const Lanes* ahead) {
  solve_by_march(a, influence, f, z, scratch.defects, ahead);
  residuals(a, f, z, scratch.left);
  solve_by_march(a, influence, scratch.left, scratch.framed, scratch.defects,
                 ahead + 2 * asked_by_march(a.shape));
  for (int i = 0; i < a.shape.framed(); ++i) z[i] += scratch.framed[i];
}

}  // namespace phasewise::ocean
