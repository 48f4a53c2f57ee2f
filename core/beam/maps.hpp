// Maps given by their coefficients: a 6 × 6 matrix, and a matrix with second-order terms.
#pragma once

#include <cstdint>
#include <optional>

#include "beam/coordinates.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

// Computes R_i0 x + R_i1 px + … for one row, written out so that loops over particles vectorise.
template <class Value>
PHASEWISE_HD Value row_times(const double* row, const CoordinatesOf<Value>& c) {
  return ((row[0] * c.x + row[1] * c.px) + (row[2] * c.y + row[3] * c.py)) +
         (row[4] * c.z + row[5] * c.delta);
}

// u_i → Σ_j R_ij u_j.
struct Matrix {
  static constexpr double flops = 66.0;

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
  static constexpr int products = 21;
  static constexpr double flops = 350.0;

  double rows[6][6];
  // Coefficients of u_j u_k, j ≤ k, in the order of `index`: T_ijk + T_ikj, or T_ijj.
  double quadratic[6][products];

  static constexpr int index(int j, int k) {
    const int low = j < k ? j : k, high = j < k ? k : j;
    return low * 6 - low * (low - 1) / 2 + high - low;
  }

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    c = {component(0, c), component(1, c), component(2, c),
         component(3, c), component(4, c), component(5, c)};
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }

 private:
  template <class Value>
  PHASEWISE_HD Value component(int i, const CoordinatesOf<Value>& c) const {
    const double(&q)[products] = quadratic[i];
    // Horner's scheme, row by row of the triangle.
    const Value x = rows[i][0] + ((q[0] * c.x + q[1] * c.px) + (q[2] * c.y + q[3] * c.py)) +
                    (q[4] * c.z + q[5] * c.delta);
    const Value px =
        rows[i][1] + (q[6] * c.px + q[7] * c.y) + (q[8] * c.py + q[9] * c.z) + q[10] * c.delta;
    const Value y = rows[i][2] + (q[11] * c.y + q[12] * c.py) + (q[13] * c.z + q[14] * c.delta);
    const Value py = rows[i][3] + (q[15] * c.py + q[16] * c.z) + q[17] * c.delta;
    const Value z = rows[i][4] + (q[18] * c.z + q[19] * c.delta);
    const Value delta = rows[i][5] + q[20] * c.delta;
    return ((c.x * x + c.px * px) + (c.y * y + c.py * py)) + (c.z * z + c.delta * delta);
  }
};

// The second-order map of elements that are symmetric about the plane y = 0 and constant in time,
// which all are but skew magnets, solenoids and cavities. A third of the coefficients remain: x, px
// and the change of z are even in (y, py), y and py are odd, and δ stays.
struct MidplaneSecondOrder {
  static constexpr double flops = 120.0;

  double x[12], px[12], z[12];  // of x, px, δ, x², x px, x δ, px², px δ, δ², y², y py, py²
  double y[8], py[8];           // of y, py, y x, y px, y δ, py x, py px, py δ

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    c = {even(x, c), even(px, c), odd(y, c), odd(py, c), c.z + even(z, c), c.delta};
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }

 private:
  template <class Value>
  PHASEWISE_HD static Value even(const double (&q)[12], const CoordinatesOf<Value>& c) {
    const Value of_x = (q[0] + q[3] * c.x) + (q[4] * c.px + q[5] * c.delta);
    const Value of_px = (q[1] + q[6] * c.px) + q[7] * c.delta;
    const Value of_delta = q[2] + q[8] * c.delta;
    return ((c.x * of_x + c.px * of_px) + c.delta * of_delta) +
           (c.y * (q[9] * c.y + q[10] * c.py) + q[11] * c.py * c.py);
  }
  template <class Value>
  PHASEWISE_HD static Value odd(const double (&q)[8], const CoordinatesOf<Value>& c) {
    const Value of_y = (q[0] + q[2] * c.x) + (q[3] * c.px + q[4] * c.delta);
    const Value of_py = (q[1] + q[5] * c.x) + (q[6] * c.px + q[7] * c.delta);
    return c.y * of_y + c.py * of_py;
  }
};

// Returns the form with fewer coefficients if the map has these symmetries.
std::optional<MidplaneSecondOrder> midplane_form(const SecondOrder& map);

}  // namespace phasewise::beam
