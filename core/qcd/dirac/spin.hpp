// The projectors 1 ± γ_µ and the products with links, for plain numbers and for vectors of them
// alike, so that both give the same bits. γ is in the chiral basis, γ_µ = [[0, A_µ], [A_µ†, 0]]
// with A = iσ₁, -iσ₂, iσ₃, 1 and γ₅ = γxγyγzγt = diag(1, 1, -1, -1): row a of A_µ has one element,
// a power of i.
#pragma once

#include "parallel/macros.hpp"
#include "parallel/simd.hpp"
#include "qcd/geometry.hpp"

namespace phasewise::qcd {

// The kernels of quarks are written with these SIMD vectors.
using parallel::all_lanes;
using parallel::asking_for;
using parallel::fused;
using parallel::load_vector;
using parallel::store_vector;
using parallel::Use;
using parallel::Vector;

inline constexpr int spins = 4, colours = 3;
inline constexpr int spinor_reals = 24, half_spinor_reals = 12, link_reals = 18;

inline constexpr int gamma_power[axes][2] = {{1, 1}, {2, 0}, {1, 3}, {0, 0}};
inline constexpr int gamma_partner[axes][2] = {{3, 2}, {3, 2}, {2, 3}, {2, 3}};

template <class T>
struct ComplexOf {
  T re, im;
};

template <class T>
struct HalfSpinor {
  ComplexOf<T> at[2][colours];
};

template <class T>
struct Spinor {
  ComplexOf<T> at[spins][colours];
};

// a + i^Power b.
template <int Power, class T>
PHASEWISE_HD ComplexOf<T> add_turned(const ComplexOf<T>& a, const ComplexOf<T>& b) {
  constexpr int turn = Power & 3;
  if constexpr (turn == 0) return {a.re + b.re, a.im + b.im};
  if constexpr (turn == 1) return {a.re - b.im, a.im + b.re};
  if constexpr (turn == 2) return {a.re - b.re, a.im - b.im};
  if constexpr (turn == 3) return {a.re + b.im, a.im - b.re};
}

// The upper two components of (1 + Sign γ_Axis) ψ; component(spin, colour) gives ψ.
template <int Axis, int Sign, class T, class F>
PHASEWISE_HD HalfSpinor<T> project(F&& component) {
  constexpr int minus = Sign < 0 ? 2 : 0;
  HalfSpinor<T> half;
#pragma GCC unroll 3
  for (int c = 0; c < colours; ++c) {
    half.at[0][c] = add_turned<gamma_power[Axis][0] + minus>(component(0, c),
                                                             component(gamma_partner[Axis][0], c));
    half.at[1][c] = add_turned<gamma_power[Axis][1] + minus>(component(1, c),
                                                             component(gamma_partner[Axis][1], c));
  }
  return half;
}

// Adds the four components that belong to a projected spinor to `sum`.
template <int Axis, int Sign, class T>
PHASEWISE_HD void add_expanded(Spinor<T>& sum, const HalfSpinor<T>& half) {
  constexpr int minus = Sign < 0 ? 2 : 0;
#pragma GCC unroll 3
  for (int c = 0; c < colours; ++c) {
    sum.at[0][c] = add_turned<0>(sum.at[0][c], half.at[0][c]);
    sum.at[1][c] = add_turned<0>(sum.at[1][c], half.at[1][c]);
    constexpr int first = gamma_partner[Axis][0], second = gamma_partner[Axis][1];
    sum.at[first][c] =
        add_turned<4 - gamma_power[Axis][0] + minus>(sum.at[first][c], half.at[0][c]);
    sum.at[second][c] =
        add_turned<4 - gamma_power[Axis][1] + minus>(sum.at[second][c], half.at[1][c]);
  }
}

// U h, or U† h: element(row, column) gives U.
template <bool Adjoint, class T, class F>
PHASEWISE_HD HalfSpinor<T> times_link(F&& element, const HalfSpinor<T>& half) {
  HalfSpinor<T> product;
#pragma GCC unroll 3
  for (int i = 0; i < colours; ++i) {
#pragma GCC unroll 3
    for (int k = 0; k < colours; ++k) {
      const ComplexOf<T> u = Adjoint ? element(k, i) : element(i, k);
      const T im = Adjoint ? -u.im : u.im, minus_im = Adjoint ? u.im : -u.im;
#pragma GCC unroll 2
      for (int a = 0; a < 2; ++a) {
        const ComplexOf<T>& h = half.at[a][k];
        ComplexOf<T>& p = product.at[a][i];
        p.re = fused(minus_im, h.im, k == 0 ? u.re * h.re : fused(u.re, h.re, p.re));
        p.im = fused(im, h.re, k == 0 ? u.re * h.im : fused(u.re, h.im, p.im));
      }
    }
  }
  return product;
}

// `scale` times the third row of a link of SU(3), the conjugate of the cross product of the others.
template <class T, class F>
PHASEWISE_HD void third_row(F&& element, T scale, ComplexOf<T> (&row)[colours]) {
#pragma GCC unroll 3
  for (int i = 0; i < colours; ++i) {
    const int j = (i + 1) % colours, k = (i + 2) % colours;
    const ComplexOf<T> aj = element(0, j), ak = element(0, k), bj = element(1, j),
                       bk = element(1, k);
    const T re = fused(ak.im, bj.im, fused(-ak.re, bj.re, fused(-aj.im, bk.im, aj.re * bk.re)));
    const T im = fused(ak.im, bj.re, fused(ak.re, bj.im, fused(-aj.im, bk.re, -aj.re * bk.im)));
    row[i] = {scale * re, scale * im};
  }
}

}  // namespace phasewise::qcd
