// The four plaquettes of a plane around a site, for several sites at once. A place is a site of
// each lane (LanePlace).
#pragma once

#include "qcd/gauge/colour_matrix.hpp"

namespace phasewise::qcd {

// They begin and end at the site, all with the same sense: first ahead along both axes, then around
// from mu to nu.
template <class V>
struct Leaves {
  ColourMatrix<V> first, second, third, fourth;
};

template <class Place>
Leaves<typename Place::V> leaves(const Place& x, int mu, int nu) {
  using enum Side;
  const Place right = x.ahead(mu), left = x.behind(mu), up = x.ahead(nu), down = x.behind(nu);
  const Place down_left = left.behind(nu);
  const auto link_mu = x.link(mu), link_nu = x.link(nu);
  const auto left_mu = left.link(mu), left_nu = left.link(nu);
  const auto down_mu = down.link(mu), down_nu = down.link(nu);
  return {product<plain, adjoint>(product(link_mu, right.link(nu)), product(link_nu, up.link(mu))),
          product(product<plain, adjoint>(link_nu, left.ahead(nu).link(mu)),
                  product<adjoint, plain>(left_nu, left_mu)),
          product<adjoint, plain>(product(down_left.link(nu), left_mu),
                                  product(down_left.link(mu), down_nu)),
          product(product<adjoint, plain>(down_nu, down_mu),
                  product<plain, adjoint>(right.behind(nu).link(nu), link_mu))};
}

// F = (Q - Q†)/8, Q the sum of the leaves, with its trace (Sheikholeslami, Wohlert, Nucl. Phys. B
// 259 (1985) 572).
template <class Place>
ColourMatrix<typename Place::V> clover_strength(const Place& x, int mu, int nu) {
  auto [sum, second, third, fourth] = leaves(x, mu, nu);
  add(sum, second);
  add(third, fourth);
  add(sum, third);
  ColourMatrix<typename Place::V> f;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      f.re[i][j] = 0.125 * (sum.re[i][j] - sum.re[j][i]);
      f.im[i][j] = 0.125 * (sum.im[i][j] + sum.im[j][i]);
    }
  return f;
}

// Twelve products, three sums, and F.
inline constexpr double clover_strength_flops = 12.0 * 198.0 + 3.0 * 18.0 + 36.0;

}  // namespace phasewise::qcd
