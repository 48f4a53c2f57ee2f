// Solves the operator on tiles whose land stops a march, by sparse factors L D L'. Several tiles
// are solved at once, one in each lane.
#pragma once

#include <cstdint>
#include <vector>

#include "ocean/solver/dissection.hpp"

namespace phasewise::ocean {

// Turns the lower triangle of A, [row][column] by the numbers of the dissection, into factors.
void factorise(const Dissection& order, std::vector<Lanes>& a, Lanes* factors);

// y := L⁻¹ y for the columns of a front.
template <int Columns>
inline void eliminate(const Front& front, const Lanes* factors, Lanes* y) {
  const Lanes* square = factors + front.values + Columns;
  Lanes own[Columns];
#pragma GCC unroll 4
  for (int k = 0; k < Columns; ++k) {
    own[k] = y[front.first + k];
#pragma GCC unroll 4
    for (int s = 0; s < k; ++s) own[k] = fused(-*square++, own[s], own[k]);
    y[front.first + k] = own[k];
  }
  const Lanes* below = square;
  for (const int row : front.rows) {
    Lanes value = y[row];
#pragma GCC unroll 4
    for (int k = 0; k < Columns; ++k) value = fused(-below[k], own[k], value);
    y[row] = value;
    below += Columns;
  }
}

// y := L'⁻¹ D⁻¹ y for the columns of a front, once the later cells have their values. Meanwhile the
// processor is asked for what lies `ahead` of the work.
template <int Columns>
inline void substitute(const Front& front, const Lanes* factors, Lanes* y, const Lanes*& ahead) {
  const Lanes* own = factors + front.values;
  const Lanes *square = own + Columns, *below = square + Columns * (Columns - 1) / 2;
  Lanes value[Columns];
#pragma GCC unroll 4
  for (int k = 0; k < Columns; ++k) value[k] = y[front.first + k] * own[k];
  for (const int row : front.rows) {
    const Lanes later = asked<Columns>(ahead, y[row]);
    ahead += Columns;
#pragma GCC unroll 4
    for (int k = 0; k < Columns; ++k) value[k] = fused(-below[k], later, value[k]);
    below += Columns;
  }
#pragma GCC unroll 4
  for (int s = Columns - 1; s >= 0; --s) {
    y[front.first + s] = value[s];
#pragma GCC unroll 4
    for (int k = 0; k < s; ++k) value[k] = fused(-square[s * (s - 1) / 2 + k], value[s], value[k]);
  }
}

// Calls f.operator()<Columns>() for the columns of a front.
template <class F>
inline void with_columns(const Front& front, F&& f) {
  switch (front.columns) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    default:
      return f.template operator()<Front::most>();
  }
}

// y := the solution for f, which y has at first, by the numbers of the dissection.
inline void solve_by_factors(const Dissection& order, const Lanes* factors, Lanes* y,
                             const Lanes*& ahead) {
  const std::vector<Front>& fronts = order.fronts();
  for (const Front& front : fronts)
    with_columns(front, [&]<int Columns>() { eliminate<Columns>(front, factors, y); });
  for (auto front = fronts.rbegin(); front != fronts.rend(); ++front)
    with_columns(*front, [&]<int Columns>() { substitute<Columns>(*front, factors, y, ahead); });
}

}  // namespace phasewise::ocean
