// Spinors, and the projections 1 ± γ in the chiral basis of DeGrand and Rossi, Comput. Phys.
// Commun. 61 (1990) 211: each matrix γ has one element in each row, a power of i.
#pragma once

#include "lattice/geometry.hpp"
#include "lattice/su3.hpp"

namespace phasewise::lattice {

struct Spinor {
  Colour s[4];
};
// The first two spin components of (1 ± γ)ψ; the others follow from them.
struct HalfSpinor {
  Colour s[2];
};

// The element of a row: i^power in this column.
struct Element {
  int column, power;
};
inline constexpr Element gamma[axes][4] = {{{3, 1}, {2, 1}, {1, 3}, {0, 3}},
                                           {{3, 2}, {2, 0}, {1, 0}, {0, 2}},
                                           {{2, 1}, {3, 3}, {0, 3}, {1, 1}},
                                           {{2, 0}, {3, 0}, {0, 0}, {1, 0}}};

// i^power a.
template <int power>
Complex turned(Complex a) {
  if constexpr (power % 4 == 0) return a;
  if constexpr (power % 4 == 1) return {-a.im, a.re};
  if constexpr (power % 4 == 2) return {-a.re, -a.im};
  return {a.im, -a.re};
}
template <int power>
Colour turned(const Colour& a) {
  return {{turned<power>(a.c[0]), turned<power>(a.c[1]), turned<power>(a.c[2])}};
}

// Rows 0 and 1 of (1 + γ)ψ, or, where minus, of (1 - γ)ψ.
template <int axis, bool minus>
HalfSpinor project(const Spinor& psi) {
  constexpr int sign = minus ? 2 : 0;
  constexpr Element a = gamma[axis][0], b = gamma[axis][1];
  return {{psi.s[0] + turned<a.power + sign>(psi.s[a.column]),
           psi.s[1] + turned<b.power + sign>(psi.s[b.column])}};
}

// Adds all rows of what was projected: row 2 is ± its element of γ times row 0 or 1.
template <int axis, bool minus>
void add_projected(Spinor& sum, const HalfSpinor& half) {
  constexpr int sign = minus ? 2 : 0;
  constexpr Element a = gamma[axis][2], b = gamma[axis][3];
  sum.s[0] = sum.s[0] + half.s[0];
  sum.s[1] = sum.s[1] + half.s[1];
  sum.s[2] = sum.s[2] + turned<a.power + sign>(half.s[a.column]);
  sum.s[3] = sum.s[3] + turned<b.power + sign>(half.s[b.column]);
}

inline HalfSpinor operator*(const Matrix& u, const HalfSpinor& h) {
  return {{u * h.s[0], u * h.s[1]}};
}
inline HalfSpinor adjoint_times(const Matrix& u, const HalfSpinor& h) {
  return {{adjoint_times(u, h.s[0]), adjoint_times(u, h.s[1])}};
}

inline double norm(const Spinor& psi) {
  double sum = 0.0;
  for (const Colour& colour : psi.s)
    for (const Complex& c : colour.c) sum = std::fma(c.im, c.im, std::fma(c.re, c.re, sum));
  return sum;
}

// a x + b y.
inline Spinor combined(double a, const Spinor& x, double b, const Spinor& y) {
  Spinor z;
  for (int s = 0; s < 4; ++s)
    for (int c = 0; c < 3; ++c) {
      const Complex u = x.s[s].c[c], v = y.s[s].c[c];
      z.s[s].c[c] = {std::fma(b, v.re, a * u.re), std::fma(b, v.im, a * u.im)};
    }
  return z;
}

// γ5 is diagonal here: the signs of the last two spin components.
inline Spinor gamma5(Spinor psi) {
  for (int s = 2; s < 4; ++s)
    for (Complex& c : psi.s[s].c) c = {-c.re, -c.im};
  return psi;
}

}  // namespace phasewise::lattice
