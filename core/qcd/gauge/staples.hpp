// Ways from a site to its neighbour around a link, for several sites at once. A place is a site of
// each lane (LanePlace).
#pragma once

#include "qcd/gauge/colour_matrix.hpp"
#include "qcd/geometry.hpp"

namespace phasewise::qcd {

// Forwards or backwards along the axis of a step.
enum class Way : bool { forwards, backwards };

template <Way way, class Place>
Place stepped(const Place& x, int nu) {
  return way == Way::forwards ? x.ahead(nu) : x.behind(nu);
}
// The link that such a step uses. Backwards it is taken as its adjoint: the side of a factor.
template <Way way, class Place>
auto step_link(const Place& x, int nu) {
  return way == Way::forwards ? x.link(nu) : x.behind(nu).link(nu);
}
template <Way way>
inline constexpr Side step_side = way == Way::forwards ? Side::plain : Side::adjoint;
template <Way way>
inline constexpr Side back_side = way == Way::forwards ? Side::adjoint : Side::plain;

// A step along nu, the link along mu there, and the step back.
template <Way way, class Place>
auto staple(const Place& x, int mu, int nu) {
  return product<Side::plain, back_side<way>>(
      product<step_side<way>, Side::plain>(step_link<way>(x, nu), stepped<way>(x, nu).link(mu)),
      step_link<way>(x.ahead(mu), nu));
}

// The sum over the six ways around from a site to its neighbour along mu.
template <class Place>
auto staples(const Place& x, int mu) {
  ColourMatrix<typename Place::V> sum{};
  for (int nu = 0; nu < axes; ++nu) {
    if (nu == mu) continue;
    add(sum, staple<Way::forwards>(x, mu, nu));
    add(sum, staple<Way::backwards>(x, mu, nu));
  }
  return sum;
}

// The same, while the links that the next place needs are fetched.
template <class Place>
auto staples_before(const Place& next, const Place& x, int mu) {
  ColourMatrix<typename Place::V> sum{};
  for (int nu = 0; nu < axes; ++nu) {
    if (nu == mu) {
      nu = next.asked_link(mu, nu);
      continue;
    }
    nu = next.asked_link(nu, nu);
    nu = next.ahead(nu).asked_link(mu, nu);
    nu = next.ahead(mu).asked_link(nu, nu);
    add(sum, staple<Way::forwards>(x, mu, nu));
    const Place below = next.behind(nu);
    nu = below.asked_link(nu, nu);
    nu = below.asked_link(mu, nu);
    nu = below.ahead(mu).asked_link(nu, nu);
    add(sum, staple<Way::backwards>(x, mu, nu));
  }
  return sum;
}

inline constexpr double staples_flops = 12.0 * 198.0 + 6.0 * 18.0;

// plaquettes × the staple, plus rectangles × the three ways around rectangles on the same side: the
// rectangle is longer along nu, or along mu beyond the neighbour or before the site.
template <Way way, class Place>
auto wide_staple(double plaquettes, double rectangles, const Place& x, int mu, int nu) {
  using enum Side;
  constexpr Side out = step_side<way>, back = back_side<way>;
  const Place next = x.ahead(mu), before = x.behind(mu), above = stepped<way>(x, nu);
  const auto up = step_link<way>(x, nu), down = step_link<way>(next, nu);
  const auto across = above.link(mu);
  const auto first = product<out, plain>(up, across);
  auto sum = product<plain, back>(first, down);
  scale(sum, plaquettes);
  // The ways around rectangles.
  auto longer = product<plain, adjoint>(
      product<plain, back>(above.ahead(mu).link(mu), step_link<way>(next.ahead(mu), nu)),
      next.link(mu));
  auto around = product(first, longer);
  longer = product(product<adjoint, out>(before.link(mu), step_link<way>(before, nu)),
                   stepped<way>(before, nu).link(mu));
  add(around, product(longer, product<plain, back>(across, down)));
  add(around, product<plain, back>(product<out, plain>(up, staple<way>(above, mu, nu)), down));
  scale(around, rectangles);
  add(sum, around);
  return sum;
}

// The sum of these over the three planes and both sides. It needs two planes of halo.
template <class Place>
auto wide_staples(double plaquettes, double rectangles, const Place& x, int mu) {
  ColourMatrix<typename Place::V> sum{};
  for (int nu = 0; nu < axes; ++nu) {
    if (nu == mu) continue;
    add(sum, wide_staple<Way::forwards>(plaquettes, rectangles, x, mu, nu));
    add(sum, wide_staple<Way::backwards>(plaquettes, rectangles, x, mu, nu));
  }
  return sum;
}

inline constexpr double wide_staples_flops = 6.0 * (13.0 * 198.0 + 6.0 * 18.0);

}  // namespace phasewise::qcd
