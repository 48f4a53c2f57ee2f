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

// The planes of a tile's coefficients, [plane][row][column] with one more row and column of zeros
// to the south and west. `inverse` is that of north_east.
struct TileCoefficients {
  enum Plane { east, north, north_east, north_west, inverse, planes };

  TileShape shape;
  const Lanes* values;
  bool west;  // whether north_west is a plane of its own

  static std::int64_t size(const TileShape& shape) {
    return std::int64_t{planes} * (shape.m + 1) * (shape.n + 1);
  }
  std::int64_t row(Plane plane, int j) const {
    return (std::int64_t{plane} * (shape.n + 1) + j + 1) * (shape.m + 1) + 1;
  }
  const Lanes* at(Plane plane, int j) const { return values + row(plane, j); }
};

// Marches from the southern row and the western column of z, a framed tile, through its equations
// with the right-hand side f, [n][m]; f null: zeros.
inline void march(const TileCoefficients& a, const Lanes* f, Lanes* z) {
  using P = TileCoefficients;
  const auto [m, n] = a.shape;
  const int width = a.shape.width();
  const P::Plane west = a.west ? P::north_west : P::north_east;
  for (int j = 0; j + 1 < n; ++j) {
    const Lanes *here = z + a.shape.framed(0, j), *south = here - width;
    Lanes* above = z + a.shape.framed(0, j + 1);
    const Lanes *east = a.at(P::east, j), *north = a.at(P::north, j);
    const Lanes *north_before = a.at(P::north, j - 1), *corner = a.at(P::north_east, j - 1);
    const Lanes *west_here = a.at(west, j), *west_before = a.at(west, j - 1);
    const Lanes* inverse = a.at(P::inverse, j);
    Lanes before_last{}, last = above[0];
    for (int i = 0; i + 1 < m; ++i) {
      Lanes sum = here[i];
      sum = fused(east[i], here[i + 1], sum);
      sum = fused(east[i - 1], here[i - 1], sum);
      sum = fused(north_before[i], south[i], sum);
      sum = fused(corner[i - 1], south[i - 1], sum);
      sum = fused(west_before[i], south[i + 1], sum);
      // The values just found come last, so that a step waits for one operation alone.
      Lanes next = ((f == nullptr ? Lanes{} : f[j * m + i]) - sum) * inverse[i];
      next = fused(-(west_here[i - 1] * inverse[i]), before_last, next);
      next = fused(-(north[i] * inverse[i]), last, next);
      above[i + 1] = next;
      before_last = last;
      last = next;
    }
  }
}

// f - A z at the cell (i, j) of a tile.
inline Lanes defect_at(const TileCoefficients& a, const Lanes* f, const Lanes* z, int i, int j) {
  using P = TileCoefficients;
  const P::Plane west = a.west ? P::north_west : P::north_east;
  const Lanes* here = z + a.shape.framed(i, j);
  const int width = a.shape.width();
  Lanes sum = here[0];
  sum = fused(a.at(P::east, j)[i], here[1], sum);
  sum = fused(a.at(P::east, j)[i - 1], here[-1], sum);
  sum = fused(a.at(P::north, j)[i], here[width], sum);
  sum = fused(a.at(P::north, j - 1)[i], here[-width], sum);
  sum = fused(a.at(P::north_east, j)[i], here[width + 1], sum);
  sum = fused(a.at(P::north_east, j - 1)[i - 1], here[-width - 1], sum);
  sum = fused(a.at(west, j)[i - 1], here[width - 1], sum);
  sum = fused(a.at(west, j - 1)[i], here[1 - width], sum);
  return (f == nullptr ? Lanes{} : f[j * a.shape.m + i]) - sum;
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
                           Lanes* z, Lanes* scratch) {
  const int guesses = a.shape.guesses();
  for (int k = 0; k < guesses; ++k) guess(a.shape, z, k) = Lanes{};
  march(a, f, z);
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
  march(a, f, z);
}

// What a march needs besides: framed tiles have a frame of zeros.
struct MarchScratch {
  Lanes *defects, *left, *framed;
};

// Solves again for what the first march has left.
inline void solve_by_two_marches(const TileCoefficients& a, const Lanes* influence, const Lanes* f,
                                 Lanes* z, const MarchScratch& scratch) {
  solve_by_march(a, influence, f, z, scratch.defects);
  residuals(a, f, z, scratch.left);
  solve_by_march(a, influence, scratch.left, scratch.framed, scratch.defects);
  for (int i = 0; i < a.shape.framed(); ++i) z[i] += scratch.framed[i];
}

}  // namespace phasewise::ocean
