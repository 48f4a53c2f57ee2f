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

// A tile's coefficients, [row][column][kind], with one more row and column to the south and west;
// north_west is stored even if it is north_east.
struct TileCoefficients {
  enum Kind { east, north, north_east, north_west, kinds };

  TileShape shape;
  const Lanes* values;
  const Lanes* inverse = nullptr;  // of north_east, [n - 1][m - 1], for a march

  static std::int64_t size(const TileShape& shape) {
    return std::int64_t{kinds} * (shape.m + 1) * (shape.n + 1);
  }
  static std::int64_t inverses(const TileShape& shape) {
    return std::int64_t{shape.m - 1} * (shape.n - 1);
  }
  int row_stride() const { return kinds * (shape.m + 1); }
  // Those of the cell (i, j), both from -1 on.
  std::int64_t place(int i, int j) const {
    return kinds * (std::int64_t{j + 1} * (shape.m + 1) + i + 1);
  }
};

// How many vectors of the next tiles each cell asks for. Together they are all data of a group; a
// march alone asks for more, since no load or residual has asked before.
inline constexpr int asked_by_march = 2, asked_by_march_alone = 4, asked_by_residual = 3;

// Marches from the southern row and the western column of z, a framed tile, through its equations
// with the right-hand side f, [n][m]; f null: zeros. Meanwhile the processor is asked for what lies
// `ahead` of the work.
template <int Asked>
inline void march(const TileCoefficients& a, const Lanes* f, Lanes* z, const Lanes*& ahead) {
  using K = TileCoefficients;
  const auto [m, n] = a.shape;
  const int width = a.shape.width(), stride = a.row_stride();
  const Lanes* inverses = a.inverse;
  for (int j = 0; j + 1 < n; ++j) {
    const Lanes *here = z + a.shape.framed(0, j), *south = here - width;
    Lanes* above = z + a.shape.framed(0, j + 1);
    const Lanes *own = a.values + a.place(0, j), *below = own - stride;
    // What the next cell needs too stays in registers.
    Lanes before_last{}, last = above[0];
    Lanes west{}, middle = here[0], south_west{}, south_middle = south[0];
    Lanes to_west{}, to_north_west{}, to_south_west{};
    for (int i = 0; i + 1 < m; ++i) {
      const Lanes east = here[i + 1], south_east = south[i + 1];
      const Lanes to_east = own[K::east], inverse = asked<Asked>(ahead, *inverses++);
      Lanes sum = fused(to_east, east, middle);
      Lanes more = fused(-to_west, west, f == nullptr ? Lanes{} : f[j * m + i]);
      sum = fused(below[K::north], south_middle, sum);
      more = fused(-to_south_west, south_west, more);
      sum = fused(below[K::north_west], south_east, sum);
      // The values just found come last, so that a step waits for one operation alone.
      Lanes next = (more - sum) * inverse;
      next = fused(-(to_north_west * inverse), before_last, next);
      next = fused(-(own[K::north] * inverse), last, next);
      above[i + 1] = next;
      before_last = last;
      last = next;
      west = middle;
      middle = east;
      south_west = south_middle;
      south_middle = south_east;
      to_west = to_east;
      to_north_west = own[K::north_west];
      to_south_west = below[K::north_east];
      own += K::kinds;
      below += K::kinds;
      ahead += Asked;
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

// f - A z, [n][m], in the place of f; the frame of z has the cells around the tile.
inline void residuals(const TileCoefficients& a, Lanes* f, const Lanes* z, const Lanes*& ahead) {
  using K = TileCoefficients;
  const int width = a.shape.width();
  for (int j = 0; j < a.shape.n; ++j) {
    const Lanes *here = z + a.shape.framed(0, j), *south = here - width, *north = here + width;
    const Lanes *own = a.values + a.place(0, j), *below = own - a.row_stride();
    // What the next cell needs too stays in registers.
    Lanes west = here[-1], middle = here[0];
    Lanes south_west = south[-1], south_middle = south[0];
    Lanes north_west = north[-1], north_middle = north[0];
    Lanes to_west = own[K::east - K::kinds], to_north_west = own[K::north_west - K::kinds];
    Lanes to_south_west = below[K::north_east - K::kinds];
    for (int i = 0; i < a.shape.m; ++i) {
      const Lanes east = here[i + 1], south_east = south[i + 1], north_east = north[i + 1];
      const Lanes to_east = asked<asked_by_residual>(ahead, own[K::east]);
      Lanes sum = fused(to_east, east, middle), more = own[K::north_east] * north_east;
      sum = fused(to_west, west, sum);
      more = fused(to_south_west, south_west, more);
      sum = fused(own[K::north], north_middle, sum);
      more = fused(to_north_west, north_west, more);
      sum = fused(below[K::north], south_middle, sum);
      more = fused(below[K::north_west], south_east, more);
      *f = *f - (sum + more);
      ++f;
      west = middle;
      middle = east;
      south_west = south_middle;
      south_middle = south_east;
      north_west = north_middle;
      north_middle = north_east;
      to_west = to_east;
      to_north_west = own[K::north_west];
      to_south_west = below[K::north_east];
      own += K::kinds;
      below += K::kinds;
      ahead += asked_by_residual;
    }
  }
}

// Some guesses of a framed tile from number k on.
template <int Count>
inline void guess_some(const TileShape& shape, const Lanes* influence, const Lanes* found, int k,
                       Lanes* z) {
  const int guesses = shape.guesses();
  const Lanes* row = influence + std::int64_t{k} * guesses;
  Lanes sums[Count] = {};
  for (int d = 0; d < guesses; ++d) {
    const Lanes defect = found[d];
#pragma GCC unroll 4
    for (int one = 0; one < Count; ++one)
      sums[one] = fused(row[one * guesses + d], defect, sums[one]);
  }
#pragma GCC unroll 4
  for (int one = 0; one < Count; ++one) guess(shape, z, k + one) = sums[one];
}

// Guesses of a framed tile that remove the defects. `influence` is [guess][defect].
inline void guess_for(const TileShape& shape, const Lanes* influence, const Lanes* found,
                      Lanes* z) {
  constexpr int together = 4;
  const int guesses = shape.guesses();
  int k = 0;
  for (; k + together <= guesses; k += together)
    guess_some<together>(shape, influence, found, k, z);
  for (; k < guesses; ++k) guess_some<1>(shape, influence, found, k, z);
}

// z := the solution for f: the first march begins with zeros. The frame of z is zero, and stays so.
template <int Asked>
inline void solve_by_march(const TileCoefficients& a, const Lanes* influence, const Lanes* f,
                           Lanes* z, Lanes* found, const Lanes*& ahead) {
  const int guesses = a.shape.guesses();
  for (int k = 0; k < guesses; ++k) guess(a.shape, z, k) = Lanes{};
  march<Asked>(a, f, z, ahead);
  defects(a, f, z, found);
  guess_for(a.shape, influence, found, z);
  march<Asked>(a, f, z, ahead);
}

// Adds a correction to z: rounding has grown in the guesses that the march began with, so that the
// equations of the eastern column and the northern row still have defects. No others have, since
// the march went through them. `correction` is a framed tile whose frame is zero.
template <int Asked>
inline void correct(const TileCoefficients& a, const Lanes* influence, const Lanes* f, Lanes* z,
                    Lanes* found, Lanes* correction, const Lanes*& ahead) {
  defects(a, f, z, found);
  guess_for(a.shape, influence, found, correction);
  march<Asked>(a, nullptr, correction, ahead);
  for (int i = 0; i < a.shape.framed(); ++i) z[i] += correction[i];
}

}  // namespace phasewise::ocean
