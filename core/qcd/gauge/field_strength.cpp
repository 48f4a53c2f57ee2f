#include "qcd/gauge/field_strength.hpp"

namespace phasewise::qcd {
namespace {

Extents stepped(Extents site, int axis, int steps) {
  site[axis] += steps;
  return site;
}

Matrix operator+(const Matrix& a, const Matrix& b) {
  Matrix sum;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      sum.e[i][j] = {a.e[i][j].re + b.e[i][j].re, a.e[i][j].im + b.e[i][j].im};
  return sum;
}

// The sum of the four plaquettes of a plane that begin and end at the site, all with the same
// sense.
Matrix leaves(const Links& links, const Extents& x, int mu, int nu) {
  const auto u = [&](int along, int across, int direction) -> const Matrix& {
    return links.at(stepped(stepped(x, mu, along), nu, across), direction);
  };
  const Matrix first = (u(0, 0, mu) * u(1, 0, nu)) * adjoint(u(0, 0, nu) * u(0, 1, mu));
  const Matrix second =
      (u(0, 0, nu) * adjoint(u(-1, 1, mu))) * (adjoint(u(-1, 0, nu)) * u(-1, 0, mu));
  const Matrix third = adjoint(u(-1, -1, nu) * u(-1, 0, mu)) * (u(-1, -1, mu) * u(0, -1, nu));
  const Matrix fourth =
      (adjoint(u(0, -1, nu)) * u(0, -1, mu)) * (u(1, -1, nu) * adjoint(u(0, 0, mu)));
  return (first + second) + (third + fourth);
}

}  // namespace

FieldStrength field_strength(const Links& links, const Extents& site) {
  FieldStrength found;
  int plane = 0;
  for (int mu = 0; mu < axes; ++mu)
    for (int nu = mu + 1; nu < axes; ++nu, ++plane) {
      const Matrix sum = leaves(links, site, mu, nu);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          found[plane].e[i][j] = 0.125 * (sum.e[i][j] - conjugate(sum.e[j][i]));
    }
  return found;
}

}  // namespace phasewise::qcd
