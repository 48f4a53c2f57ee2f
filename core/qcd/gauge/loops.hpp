// Real traces of plaquettes and rectangles for several sites at once. A place is a site of each
// lane (LanePlace). A lane has the bits of plaquette() and rectangle() in links.hpp.
#pragma once

#include "qcd/gauge/colour_matrix.hpp"

namespace phasewise::qcd {

// Re tr a b†.
template <class V>
V real_trace_with_adjoint(const ColourMatrix<V>& a, const ColourMatrix<V>& b) {
  using parallel::fused;
  V sum{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      sum = fused(a.im[i][j], b.im[i][j], fused(a.re[i][j], b.re[i][j], sum));
  return sum;
}

// Of the plaquette that spans two directions from the site.
template <class Place>
typename Place::V plaquette_at(const Place& x, int mu, int nu) {
  return real_trace_with_adjoint(product(x.link(mu), x.ahead(mu).link(nu)),
                                 product(x.link(nu), x.ahead(nu).link(mu)));
}

// Of the rectangle that begins at the site, two links long along mu.
template <class Place>
typename Place::V rectangle_at(const Place& x, int mu, int nu) {
  const Place next = x.ahead(mu), above = x.ahead(nu);
  return real_trace_with_adjoint(
      product(product(x.link(mu), next.link(mu)), next.ahead(mu).link(nu)),
      product(product(x.link(nu), above.link(mu)), above.ahead(mu).link(mu)));
}

}  // namespace phasewise::qcd
