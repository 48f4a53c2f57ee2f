// Maps given by their coefficients: a 6 × 6 matrix, and a matrix with second-order terms.
#pragma once

#include <cstdint>

#include "beam/coordinates.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

// R_i0 x + R_i1 px + … of one row, written out so that loops over particles vectorise.
template <class Value>
PHASEWISE_HD Value row_times(const double* row, const CoordinatesOf<Value>& c) {
  return ((row[0] * c.x + row[1] * c.px) + (row[2] * c.y + row[3] * c.py)) +
         (row[4] * c.z + row[5] * c.delta);
}

// u_i → Σ_j R_ij u_j.
struct Matrix {
  double rows[6][6];

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    c = {row_times(rows[0], c), row_times(rows[1], c), row_times(rows[2], c),
         row_times(rows[3], c), row_times(rows[4], c), row_times(rows[5], c)};
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }
};

// u_i → Σ_j R_ij u_j + Σ_jk T_ijk u_j u_k.
struct SecondOrder {
  double rows[6][6];
  double tensor[6][6][6];

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    c = {component(0, c), component(1, c), component(2, c),
         component(3, c), component(4, c), component(5, c)};
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }

 private:
  template <class Value>
  PHASEWISE_HD Value component(int i, const CoordinatesOf<Value>& c) const {
    const double(&t)[6][6] = tensor[i];
    const Value quadratic = ((c.x * row_times(t[0], c) + c.px * row_times(t[1], c)) +
                             (c.y * row_times(t[2], c) + c.py * row_times(t[3], c))) +
                            (c.z * row_times(t[4], c) + c.delta * row_times(t[5], c));
    return row_times(rows[i], c) + quadratic;
  }
};

}  // namespace phasewise::beam
