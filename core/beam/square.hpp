// Square matrices of at most six rows.
#pragma once

#include <array>
#include <cmath>
#include <utility>

namespace phasewise::beam {

using Square = std::array<std::array<double, 6>, 6>;

inline Square times(const Square& a, const Square& b) {
  Square result{};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < 6; ++j) result[i][j] += a[i][k] * b[k][j];
  return result;
}

inline std::array<double, 6> applied(const Square& a, const std::array<double, 6>& v) {
  std::array<double, 6> result{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) result[i] += a[i][j] * v[j];
  return result;
}

inline Square transposed(const Square& a) {
  Square result{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) result[i][j] = a[j][i];
  return result;
}

inline Square square_of(const double (&rows)[6][6]) {
  Square result{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) result[i][j] = rows[i][j];
  return result;
}

// Sets b to the solution of a u = b, in n dimensions, by elimination with pivots; false if a is
// singular.
inline bool solve(Square a, std::array<double, 6>& b, int n) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    if (!(std::fabs(a[pivot][k]) > 0.0)) return false;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (int j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
  return true;
}

}  // namespace phasewise::beam
