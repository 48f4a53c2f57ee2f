#include "qcd/gauge/stout.hpp"

#include <cmath>

#include "parallel/loops.hpp"

namespace phasewise::qcd {
namespace {

// If the norm is at most 1/8, this many terms of the exponential leave less than rounding.
constexpr double largest_norm = 0.125;
constexpr int terms = 12;

Extents shifted(Extents site, int axis, int steps) {
  site[axis] += steps;
  return site;
}

void add(Matrix& sum, const Matrix& a) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      sum.e[i][j].re += a.e[i][j].re;
      sum.e[i][j].im += a.e[i][j].im;
    }
}

Matrix scaled(double factor, const Matrix& a) {
  Matrix m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m.e[i][j] = factor * a.e[i][j];
  return m;
}

// The sum over the six ways around from the site to its neighbour along mu.
Matrix staples(const Links& links, const Extents& x, int mu) {
  Matrix sum;
  const Extents ahead = shifted(x, mu, 1);
  for (int nu = 0; nu < axes; ++nu) {
    if (nu == mu) continue;
    add(sum, (links.at(x, nu) * links.at(shifted(x, nu, 1), mu)) * adjoint(links.at(ahead, nu)));
    const Extents below = shifted(x, nu, -1);
    add(sum, (adjoint(links.at(below, nu)) * links.at(below, mu)) *
                 links.at(shifted(ahead, nu, -1), nu));
  }
  return sum;
}

Matrix traceless_antihermitian(const Matrix& a) {
  Matrix m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m.e[i][j] = 0.5 * (a.e[i][j] - conjugate(a.e[j][i]));
  const double trace = (m.e[0][0].im + m.e[1][1].im + m.e[2][2].im) / 3.0;
  for (int i = 0; i < 3; ++i) m.e[i][i].im -= trace;
  return m;
}

// Applies Horner's rule to a small fraction of the matrix, and squares the result as often as the
// matrix was halved.
Matrix exponential(Matrix a) {
  double sum = 0.0;
  for (const auto& row : a.e)
    for (const Complex& element : row) sum += norm(element);
  int halvings = 0;
  for (double size = std::sqrt(sum); size > largest_norm; size *= 0.5) ++halvings;
  a = scaled(std::ldexp(1.0, -halvings), a);
  Matrix found = Matrix::one();
  for (int term = terms; term > 0; --term) {
    found = scaled(1.0 / term, a * found);
    for (int i = 0; i < 3; ++i) found.e[i][i].re += 1.0;
  }
  for (int i = 0; i < halvings; ++i) found = found * found;
  return found;
}

}  // namespace

void stout_step(const Links& from, double weight, int threads, Links& to) {
  const std::vector<Extents> sites = sites_in(from.domain().extents());
  parallel::for_blocks(
      static_cast<std::int64_t>(sites.size()), threads, [&](std::int64_t begin, int n, int) {
        for (std::int64_t i = begin; i < begin + n; ++i) {
          const Extents& at = sites[static_cast<std::size_t>(i)];
          for (int mu = 0; mu < axes; ++mu) {
            const Matrix& link = from.at(at, mu);
            const Matrix around = scaled(weight, staples(from, at, mu)) * adjoint(link);
            to.at(at, mu) = exponential(traceless_antihermitian(around)) * link;
          }
        }
      });
}

}  // namespace phasewise::qcd
