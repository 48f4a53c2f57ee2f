// The subgroups SU(2) of SU(3) for updates of links (Cabibbo, Marinari, Phys. Lett. B 119 (1982)
// 387), for several links at once.
#pragma once

#include <cstdint>

#include "numerics/normal.hpp"
#include "parallel/lane_values.hpp"
#include "qcd/gauge/colour_matrix.hpp"
#include "qcd/random_streams.hpp"

namespace phasewise::qcd {

// The rows and columns on which a subgroup acts.
inline constexpr int subgroups[3][2] = {{0, 1}, {0, 2}, {1, 2}};

// a₀ + i a·σ: an element of SU(2) if the squares add up to 1.
template <class V>
struct Quaternion {
  V a[4];
};

// Twice the part of a 2 × 2 block of w that is a multiple of an element of SU(2); Re tr g w depends
// on nothing else.
template <class V>
Quaternion<V> block_of(const ColourMatrix<V>& w, int i, int j) {
  return {{w.re[i][i] + w.re[j][j], w.im[i][j] + w.im[j][i], w.re[i][j] - w.re[j][i],
           w.im[i][i] - w.im[j][j]}};
}

template <class V>
V squared(const Quaternion<V>& q) {
  using parallel::fused;
  return fused(q.a[3], q.a[3], fused(q.a[2], q.a[2], fused(q.a[1], q.a[1], q.a[0] * q.a[0])));
}

// h a†/|a|.
template <class V>
Quaternion<V> times_inverse(const Quaternion<V>& h, const Quaternion<V>& a, const V& inverse_norm) {
  using parallel::fused;
  const auto &p = h.a, &q = a.a;
  Quaternion<V> g;
  g.a[0] = fused(p[3], q[3], fused(p[2], q[2], fused(p[1], q[1], p[0] * q[0])));
  for (int i = 1; i < 4; ++i) {
    const int j = i % 3 + 1, k = j % 3 + 1;
    g.a[i] = fused(-p[k], q[j], fused(p[j], q[k], fused(-p[0], q[i], p[i] * q[0])));
  }
  for (V& one : g.a) one *= inverse_norm;
  return g;
}

// (a†)²/|a|².
template <class V>
Quaternion<V> reflection(const Quaternion<V>& a, const V& square) {
  using parallel::fused;
  const V twice = 2.0 * a.a[0] / square;
  return {{fused(twice, a.a[0], V{} - 1.0), -twice * a.a[1], -twice * a.a[2], -twice * a.a[3]}};
}

// The rows i and j of m, multiplied by g from the left.
template <class V>
void rotate_rows(const Quaternion<V>& g, int i, int j, ColourMatrix<V>& m) {
  using parallel::fused;
  const auto& [a] = g;
  for (int k = 0; k < 3; ++k) {
    const V x = m.re[i][k], y = m.im[i][k], u = m.re[j][k], v = m.im[j][k];
    m.re[i][k] = fused(-a[1], v, fused(a[2], u, fused(-a[3], y, a[0] * x)));
    m.im[i][k] = fused(a[1], u, fused(a[2], v, fused(a[3], x, a[0] * y)));
    m.re[j][k] = fused(a[3], v, fused(a[0], u, fused(-a[1], y, -a[2] * x)));
    m.im[j][k] = fused(-a[3], u, fused(a[0], v, fused(a[1], x, -a[2] * y)));
  }
}

// Random numbers of the links in the lanes.
template <int Lanes>
struct LinkNumbers {
  std::uint64_t seed;
  std::uint32_t trajectory;
  std::uint64_t links[Lanes];  // 4 global site + axis

  void pair(std::uint32_t index, double (&u)[Lanes], double (&v)[Lanes]) const {
    for (int lane = 0; lane < Lanes; ++lane)
      numerics::uniform_pair(seed, trajectory, links[lane], streams::heat_bath, index, u[lane],
                             v[lane]);
  }
};

// Below this ζ the numbers of Creutz are refused less often than those of Kennedy and Pendleton.
inline constexpr double creutz_below = 1.5;
// Weaker couplings are taken as this one; the density differs by as much.
inline constexpr double least_coupling = 1e-7;
// Indices of random numbers end behind it. Fewer than half of the numbers are refused.
inline constexpr int most_tries = 10000;

// 1 - h₀, h₀ with the density √(1 - h₀²) exp(ζ h₀): by Creutz, Phys. Rev. D 21 (1980) 2308, or by
// Kennedy, Pendleton, Phys. Lett. B 156 (1985) 393, as ζ has it in each lane.
template <int Lanes>
void draw_real_part(const LinkNumbers<Lanes>& numbers, std::uint32_t subgroup,
                    const double (&coupling)[Lanes], double (&missing)[Lanes]) {
  double range[Lanes], weight[Lanes];
  for (int lane = 0; lane < Lanes; ++lane) {
    const bool weak = coupling[lane] < creutz_below;
    range[lane] = weak ? 1.0 - numerics::exp_real(-2.0 * coupling[lane]) : 1.0;
    weight[lane] = weak ? 0.0 : 1.0;
  }
  double refused[Lanes];
  for (double& one : refused) one = 1.0;
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    double r[4][Lanes];
    const auto index = subgroup + 3 * (1 + 2 * static_cast<std::uint32_t>(attempt));
    numbers.pair(index, r[0], r[1]);
    numbers.pair(index + 3, r[2], r[3]);
    double left = 0.0;
    for (int lane = 0; lane < Lanes; ++lane) {
      const bool weak = weight[lane] == 0.0;
      double sine, cosine;
      numerics::sincos_turns(r[1][lane], sine, cosine);
      // Creutz: 1 - r (1 - exp(-2ζ)), uniform from exp(-2ζ) to 1.
      const double first = weak ? 1.0 - r[0][lane] * range[lane] : r[0][lane];
      const double logs = numerics::log_positive(first) +
                          weight[lane] * cosine * cosine * numerics::log_positive(r[2][lane]);
      const double found = -logs / coupling[lane];
      const double chance = weak ? found * (2.0 - found) : 1.0 - 0.5 * found;
      const bool again = r[3][lane] * r[3][lane] > chance;
      missing[lane] = refused[lane] != 0.0 ? found : missing[lane];
      refused[lane] = refused[lane] != 0.0 && again ? 1.0 : 0.0;
      left += refused[lane];
    }
    if (left == 0.0) return;
  }
}

// An element of SU(2) with the density exp(ζ Re tr h/2), ζ > 0.
template <int Lanes>
Quaternion<parallel::Vector<double, Lanes>> draw_element(
    const LinkNumbers<Lanes>& numbers, std::uint32_t subgroup,
    const parallel::Vector<double, Lanes>& coupling) {
  double zeta[Lanes], missing[Lanes] = {}, h[4][Lanes], u[Lanes], v[Lanes];
  parallel::store(&zeta[0], coupling);
  draw_real_part<Lanes>(numbers, subgroup, zeta, missing);
  numbers.pair(subgroup, u, v);
  for (int lane = 0; lane < Lanes; ++lane) {
    double sine, cosine;
    numerics::sincos_turns(v[lane], sine, cosine);
    const double length = std::sqrt(std::fmax(missing[lane] * (2.0 - missing[lane]), 0.0));
    const double across = length * std::sqrt(4.0 * u[lane] * (1.0 - u[lane]));
    h[0][lane] = 1.0 - missing[lane];
    h[1][lane] = across * cosine;
    h[2][lane] = across * sine;
    h[3][lane] = length * (1.0 - 2.0 * u[lane]);
  }
  Quaternion<parallel::Vector<double, Lanes>> found;
  for (int i = 0; i < 4; ++i) found.a[i] = parallel::load<Lanes>(&h[i][0]);
  return found;
}

}  // namespace phasewise::qcd
