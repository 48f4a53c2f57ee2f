// Solves the operator on tiles whose land stops a march, by factors L D L' of its band. Several
// tiles are solved at once, one in each lane.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ocean/solver/march.hpp"

namespace phasewise::ocean {

// Cells are numbered along x, so that a cell is coupled with at most m + 1 cells before it.
inline int band_of(const TileShape& shape) { return shape.m + 1; }
// The factors, [cell][1/D, L of the cell 1, 2, … before].
inline std::int64_t factor_size(const TileShape& shape) {
  return std::int64_t{shape.cells()} * (band_of(shape) + 1);
}

// Turns the band of A, [cell][centre, coupling with the cell 1, 2, … before], into its factors.
inline void factorise(const TileShape& shape, Lanes* a) {
  const int band = band_of(shape), row = band + 1;
  for (int p = 0; p < shape.cells(); ++p) {
    Lanes* own = a + p * row;
    // own[k] becomes L D of the pair first, then L.
    for (int k = std::min(band, p); k >= 1; --k) {
      const int q = p - k;
      const Lanes* other = a + q * row;
      Lanes value = own[k];
      for (int s = q - 1; s >= std::max(0, p - band); --s)
        value = fused(-own[p - s], other[q - s], value);
      own[k] = value;
    }
    Lanes centre = own[0];
    for (int k = std::min(band, p); k >= 1; --k) {
      const Lanes product = own[k], factor = product * a[(p - k) * row];
      centre = fused(-product, factor, centre);
      own[k] = factor;
    }
    own[0] = 1.0 / centre;
  }
}

// Calls f.operator()<p modulo Band>(p) for all cells.
template <int Band, class F>
PHASEWISE_HD void in_turns(int cells, F&& f) {
  const auto turn = [&]<std::size_t... Turn>(int p, std::index_sequence<Turn...>) {
    ((p + static_cast<int>(Turn) < cells ? f.template operator()<Turn>(p + Turn) : void()), ...);
  };
  for (int p = 0; p < cells; p += Band) turn(p, std::make_index_sequence<Band>());
}

// Solves with the factors in the order of the cells and back, for a band that the compiler knows.
// The values that are still needed stay in registers, in turn: cell p has place p modulo Band.
template <int Band>
void solve_known_band(int cells, const Lanes* factors, Lanes* y) {
  constexpr int row = Band + 1;
  constexpr int ahead = 32;  // cells
  Lanes last[Band] = {};
  const auto forwards = [&]<int Turn>(int p) {
    const Lanes* own = factors + std::int64_t{p} * row;
    Lanes even{}, odd{};
#pragma GCC unroll 16
    for (int k = Band; k > 1; --k) {
      const Lanes value = last[(Turn - k + 2 * Band) % Band];
      if (k % 2 == 0)
        even = fused(-own[k], value, even);
      else
        odd = fused(-own[k], value, odd);
    }
    last[Turn] = fused(-own[1], last[(Turn - 1 + Band) % Band],
                       asked<row>(own + ahead * row, y[p] + (even + odd)));
    y[p] = last[Turn];
  };
  in_turns<Band>(cells, forwards);
  Lanes sums[Band] = {};  // what later cells take from those before
  const auto backwards = [&]<int Turn>(int back) {
    const int p = cells - 1 - back;
    const Lanes* own = factors + std::int64_t{p} * row;
    const Lanes value = fused(y[p], own[0], sums[Turn]);
    sums[Turn] = Lanes{};
#pragma GCC unroll 16
    for (int k = 1; k <= Band; ++k) {
      Lanes& sum = sums[(Turn + k) % Band];
      sum = fused(-own[k], value, sum);
    }
    y[p] = value;
  };
  in_turns<Band>(cells, backwards);
}

// y := the solution for f, which y has at first, [cell], behind band_of(shape) zeros.
inline void solve_by_factors(const TileShape& shape, const Lanes* factors, Lanes* y) {
  const int band = band_of(shape), row = band + 1, cells = shape.cells();
  if (band == 13) return solve_known_band<13>(cells, factors, y);
  if (band == 11) return solve_known_band<11>(cells, factors, y);
  for (int p = 0; p < cells; ++p) {
    const Lanes* own = factors + p * row;
    Lanes far{}, near = y[p];
    // The value just found comes last, so that a step waits for one operation alone.
    for (int k = band; k > 1; --k) far = fused(-own[k], y[p - k], far);
    near += far;
    y[p] = fused(-own[1], y[p - 1], near);
  }
  for (int p = 0; p < cells; ++p) y[p] *= factors[p * row];
  for (int p = cells - 1; p >= 0; --p) {
    const Lanes* own = factors + p * row;
    const Lanes value = y[p];
    for (int k = 1; k <= band; ++k) y[p - k] = fused(-own[k], value, y[p - k]);
  }
  for (int k = 1; k <= band; ++k) y[-k] = Lanes{};
}

}  // namespace phasewise::ocean
