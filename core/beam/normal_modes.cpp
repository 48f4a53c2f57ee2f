#include "beam/normal_modes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace phasewise::beam {
namespace {

using std::numbers::pi;
using Vector = std::array<double, 6>;

[[noreturn]] void refuse(const std::string& reason) {
  throw std::invalid_argument(std::string("the lattice is unstable: ").append(reason));
}

// Computes M⁻¹ = -Ω Mᵀ Ω of a symplectic matrix; rows beyond n are 0.
Square inverse(const Square& m, int n) {
  Square result{};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      result[i][j] = (i + j) % 2 == 0 ? m[j ^ 1][i ^ 1] : -m[j ^ 1][i ^ 1];
  return result;
}

double trace(const Square& a) {
  double sum = 0.0;
  for (int i = 0; i < 6; ++i) sum += a[i][i];
  return sum;
}

double symplectic(const Vector& a, const Vector& b) {
  return (a[0] * b[1] - a[1] * b[0]) + (a[2] * b[3] - a[3] * b[2]) + (a[4] * b[5] - a[5] * b[4]);
}

// Returns the roots of t² - pt + q, the larger one first.
std::vector<double> roots(double p, double q) {
  const double discriminant = 0.25 * p * p - q;
  if (discriminant < 0.0)
    refuse("the cosines of its modes' phases are " + std::to_string(0.25 * p + 1.0) + " ± " +
           std::to_string(0.5 * std::sqrt(-discriminant)) + " i, on a sum resonance of two modes");
  const double larger = 0.5 * p + std::copysign(std::sqrt(discriminant), p);
  const double other = larger != 0.0 ? q / larger : 0.0;
  return {std::max(larger, other), std::min(larger, other)};
}

// Returns the eigenvalues 2 cos μ_k - 2 of M + M⁻¹ - 2, each of which it has twice. Subtracting 2
// keeps the digits of the small eigenvalue of a slow mode.
std::vector<double> eigenvalues(const Square& d, int n) {
  const Square square = times(d, d);
  const double p1 = 0.5 * trace(d), p2 = 0.5 * trace(square);
  if (n == 2) return {p1};
  const double e2 = 0.5 * (p1 * p1 - p2);
  if (n == 4) return roots(p1, e2);
  const double p3 = 0.5 * trace(times(square, d));
  const double e3 = (p1 * p1 * p1 - 3.0 * p1 * p2 + 2.0 * p3) / 6.0;
  // Newton's method, from the first-order value, finds the smallest; a quadratic equation then
  // gives the other two.
  double small = e3 / e2;
  for (int step = 0; step < 50; ++step) {
    const double value = ((small - p1) * small + e2) * small - e3;
    small -= value / ((3.0 * small - 2.0 * p1) * small + e2);
  }
  std::vector<double> found = roots(p1 - small, e2 - small * (p1 - small));
  found.push_back(small);
  return found;
}

void check(const std::vector<double>& values) {
  constexpr double apart = 1e-7;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!(values[k] > -4.0 && values[k] < 0.0))
      refuse("the cosine of a mode's phase is " + std::to_string(1.0 + 0.5 * values[k]) +
             ", and must lie between -1 and 1");
    for (std::size_t j = 0; j < k; ++j)
      if (std::fabs(values[k] - values[j]) < apart)
        throw std::invalid_argument(
            "two coupled modes of the lattice have the same tune, so that it has no modes to match "
            "a bunch to; change a strength a little");
  }
}

Square projector(const Square& d, const std::vector<double>& values, std::size_t k, int n) {
  Square result{};
  for (int i = 0; i < n; ++i) result[i][i] = 1.0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (j == k) continue;
    Square shifted = d;
    for (int i = 0; i < n; ++i) shifted[i][i] -= values[j];
    for (auto& row : shifted)
      for (double& entry : row) entry /= values[k] - values[j];
    result = times(result, shifted);
  }
  return result;
}

// Orders the modes so that the sum of the traces of their projectors in their planes is largest.
std::vector<int> order_of(const std::vector<Square>& projectors) {
  std::vector<int> order(projectors.size()), best;
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  double most = -1e300;
  do {
    double sum = 0.0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const int u = 2 * static_cast<int>(k);
      sum += projectors[order[k]][u][u] + projectors[order[k]][u + 1][u + 1];
    }
    if (sum > most) {
      most = sum;
      best = order;
    }
  } while (std::ranges::next_permutation(order).found);
  return best;
}

NormalMode mode_of(const Square& difference, const Square& projector, double value, int plane) {
  NormalMode mode{.plane = plane};
  // sin μ follows from cos μ = 1 + value/2.
  const double sine = 0.5 * std::sqrt(-value * (4.0 + value));
  mode.phase = std::atan2(sine, 1.0 + 0.5 * value) / (2.0 * pi);
  Vector momentum{};
  momentum[2 * plane + 1] = 1.0;
  mode.b = applied(projector, momentum);
  mode.a = applied(difference, mode.b);
  for (double& entry : mode.a) entry /= 2.0 * sine;
  double area = symplectic(mode.a, mode.b);
  if (area < 0.0) {
    area = -area;
    mode.phase = -mode.phase;
    for (double& entry : mode.a) entry = -entry;
  }
  for (int i = 0; i < 6; ++i) {
    mode.a[i] /= std::sqrt(area);
    mode.b[i] /= std::sqrt(area);
  }
  return mode;
}

// Groups of planes that depend on each other, directly or through others.
std::vector<std::vector<int>> groups_of(const Square& m, int planes) {
  constexpr double rounding = 1e-9;
  const auto coupled = [&](int p, int q) {
    double most = 0.0;
    for (int i = 2 * p; i < 2 * p + 2; ++i)
      for (int j = 2 * q; j < 2 * q + 2; ++j)
        most = std::max({most, std::fabs(m[i][j]), std::fabs(m[j][i])});
    return most > rounding;
  };
  std::vector<std::vector<int>> groups;
  for (int p = 0; p < planes; ++p) {
    std::vector<int> own{p};
    std::erase_if(groups, [&](const std::vector<int>& group) {
      const bool joins = std::ranges::any_of(group, [&](int q) { return coupled(p, q); });
      if (joins) own.insert(own.end(), group.begin(), group.end());
      return joins;
    });
    std::ranges::sort(own);
    groups.push_back(own);
  }
  return groups;
}

// The modes of planes that are coupled with each other and with no others.
std::vector<NormalMode> modes_of_group(const Square& matrix, const std::vector<int>& planes) {
  const int n = 2 * static_cast<int>(planes.size());
  const auto row = [&](int i) { return 2 * planes[i / 2] + i % 2; };
  Square forward{}, d{}, difference{};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) forward[i][j] = matrix[row(i)][row(j)];
  const Square back = inverse(forward, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      d[i][j] = forward[i][j] + back[i][j] - (i == j ? 2.0 : 0.0);
      difference[i][j] = forward[i][j] - back[i][j];
    }
  const std::vector<double> values = eigenvalues(d, n);
  check(values);
  std::vector<Square> projectors;
  projectors.reserve(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) projectors.push_back(projector(d, values, k, n));
  const std::vector<int> order = order_of(projectors);
  std::vector<NormalMode> modes;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const NormalMode own =
        mode_of(difference, projectors[order[k]], values[order[k]], static_cast<int>(k));
    NormalMode mode{.plane = planes[k], .phase = own.phase};
    for (int i = 0; i < n; ++i) {
      mode.a[row(i)] = own.a[i];
      mode.b[row(i)] = own.b[i];
    }
    modes.push_back(mode);
  }
  return modes;
}

}  // namespace

std::vector<NormalMode> normal_modes(const Square& matrix, int dimensions) {
  std::vector<NormalMode> modes;
  for (const std::vector<int>& group : groups_of(matrix, dimensions / 2))
    for (const NormalMode& mode : modes_of_group(matrix, group)) modes.push_back(mode);
  std::ranges::sort(modes, {}, &NormalMode::plane);
  return modes;
}

}  // namespace phasewise::beam
