// Complex 3 × 3 matrices as plain numbers. Products are summed in one order, and only with the
// fused operations that are written out, so that they give the same bits wherever they run.
#pragma once

#include <cmath>
#include <cstdint>

#include "numerics/normal.hpp"

namespace phasewise::qcd {

struct Complex {
  double re = 0.0, im = 0.0;
};
inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
inline Complex operator*(double s, Complex a) { return {s * a.re, s * a.im}; }
inline Complex conjugate(Complex a) { return {a.re, -a.im}; }
inline double norm(Complex a) { return std::fma(a.im, a.im, a.re * a.re); }
// sum + a b.
inline Complex add_product(Complex sum, Complex a, Complex b) {
  return {std::fma(-a.im, b.im, std::fma(a.re, b.re, sum.re)),
          std::fma(a.im, b.re, std::fma(a.re, b.im, sum.im))};
}

struct Matrix {
  Complex e[3][3];

  static Matrix one() {
    Matrix m;
    for (int i = 0; i < 3; ++i) m.e[i][i].re = 1.0;
    return m;
  }
};

inline Matrix adjoint(const Matrix& a) {
  Matrix m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m.e[i][j] = conjugate(a.e[j][i]);
  return m;
}

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) m.e[i][j] = add_product(m.e[i][j], a.e[i][k], b.e[k][j]);
  return m;
}

inline double real_trace(const Matrix& a) { return a.e[0][0].re + a.e[1][1].re + a.e[2][2].re; }

// Re tr a b†, without computing the product.
inline double real_trace_with_adjoint(const Matrix& a, const Matrix& b) {
  double sum = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      sum = std::fma(a.e[i][j].im, b.e[i][j].im, std::fma(a.e[i][j].re, b.e[i][j].re, sum));
  return sum;
}

// The largest deviation of an element of a a† from the unit matrix.
inline double deviation_from_unitary(const Matrix& a) {
  const Matrix product = a * adjoint(a);
  double largest = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Complex difference = product.e[i][j] - Complex{i == j ? 1.0 : 0.0, 0.0};
      largest = std::fmax(largest, std::fmax(std::fabs(difference.re), std::fabs(difference.im)));
    }
  return largest;
}

// Computes the third row from the first two, as the conjugate of their cross product.
inline void complete(Matrix& a) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const Complex first = add_product({}, a.e[0][j], a.e[1][k]);
    const Complex second = add_product({}, a.e[0][k], a.e[1][j]);
    a.e[2][i] = conjugate(first - second);
  }
}

// The largest deviation of an element of the third row from the one that follows from the others;
// it is 0 if a unitary matrix has determinant 1.
inline double deviation_from_special(const Matrix& a) {
  Matrix whole = a;
  complete(whole);
  double largest = 0.0;
  for (int i = 0; i < 3; ++i) {
    const Complex difference = a.e[2][i] - whole.e[2][i];
    largest = std::fmax(largest, std::fmax(std::fabs(difference.re), std::fabs(difference.im)));
  }
  return largest;
}

// Makes the first two rows orthonormal, the first one keeping its direction; the last row follows
// from them.
inline void make_special_unitary(Matrix& m) {
  const auto normalise = [](Complex(&row)[3]) {
    const double length = std::sqrt(norm(row[0]) + norm(row[1]) + norm(row[2]));
    for (Complex& e : row) e = (1.0 / length) * e;
  };
  normalise(m.e[0]);
  Complex along;
  for (int k = 0; k < 3; ++k) along = add_product(along, conjugate(m.e[0][k]), m.e[1][k]);
  for (int k = 0; k < 3; ++k) m.e[1][k] = m.e[1][k] - add_product({}, along, m.e[0][k]);
  normalise(m.e[1]);
  complete(m);
}

// A random element of SU(3) by Haar's measure: rows of normal deviates, made orthonormal.
inline Matrix random_matrix(std::uint64_t seed, std::uint64_t site, int direction,
                            std::uint32_t stream) {
  Matrix m;
  std::uint32_t index = 0;
  for (int i = 0; i < 2; ++i)
    for (Complex& e : m.e[i])
      numerics::normal_pair(seed, static_cast<std::uint32_t>(direction), site, stream, index++,
                            e.re, e.im);
  make_special_unitary(m);
  return m;
}

}  // namespace phasewise::qcd
