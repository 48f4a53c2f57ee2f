#include "ocean/solver/influence.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace phasewise::ocean {
namespace {

// A smooth number for each cell that is none of the operator's vectors.
double sample_at(int i, int j) { return std::sin(1.0 + 2.3 * i + 1.7 * j + 0.37 * i * j); }

// The matrix's inverse in one lane, by Gauss and Jordan with pivots from its columns.
bool invert(Lanes* matrix, int n, int lane) {
  std::vector<double> a(static_cast<std::size_t>(n) * 2 * n, 0.0);
  const auto at = [&](int row, int column) -> double& { return a[row * 2 * n + column]; };
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) at(row, column) = matrix[row * n + column][lane];
    at(row, n + row) = 1.0;
  }
  for (int step = 0; step < n; ++step) {
    int pivot = step;
    for (int row = step + 1; row < n; ++row)
      if (std::fabs(at(row, step)) > std::fabs(at(pivot, step))) pivot = row;
    const double value = at(pivot, step);
    if (!(std::fabs(value) > 0.0) || !std::isfinite(value)) return false;
    for (int column = 0; column < 2 * n; ++column) std::swap(at(step, column), at(pivot, column));
    for (int column = 0; column < 2 * n; ++column) at(step, column) /= value;
    for (int row = 0; row < n; ++row) {
      const double factor = at(row, step);
      if (row == step || factor == 0.0) continue;
      for (int column = step; column < 2 * n; ++column)
        at(row, column) -= factor * at(step, column);
    }
  }
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) matrix[row * n + column][lane] = at(row, n + column);
  return true;
}

}  // namespace

// The guesses for given defects: a march from one guess alone gives a column of the inverse.
void fill_influence(const TileCoefficients& coefficients, Lanes* influence) {
  const TileShape& shape = coefficients.shape;
  const int guesses = shape.guesses();
  std::vector<Lanes> z(static_cast<std::size_t>(shape.framed())), found(guesses);
  for (int k = 0; k < guesses; ++k) {
    std::ranges::fill(z, Lanes{});
    guess(shape, z.data(), k) = Lanes{} + 1.0;
    const Lanes* ahead = coefficients.values;
    march<0>(coefficients, nullptr, z.data(), ahead);
    defects(coefficients, nullptr, z.data(), found.data());
    for (int d = 0; d < guesses; ++d) influence[d * guesses + k] = -found[d];
  }
  for (int lane = 0; lane < lanes; ++lane)
    if (!invert(influence, guesses, lane))
      for (int i = 0; i < guesses * guesses; ++i) influence[i][lane] = std::nan("");
}

// The largest defect of the solution for a sample whose numbers are at most 1.
Lanes march_error(const TileCoefficients& a, const Lanes* influence, bool corrected) {
  const TileShape& shape = a.shape;
  std::vector<Lanes> f(shape.cells()), z(shape.framed()), more(z), found(shape.guesses());
  for (int j = 0; j < shape.n; ++j)
    for (int i = 0; i < shape.m; ++i) f[j * shape.m + i] = Lanes{} + sample_at(i, j);
  const Lanes* ahead = a.values;
  solve_by_march<0>(a, influence, f.data(), z.data(), found.data(), ahead);
  if (corrected) correct<0>(a, influence, f.data(), z.data(), found.data(), more.data(), ahead);
  residuals(a, f.data(), z.data(), ahead);
  Lanes worst{};
  for (const Lanes& defect : f)
    for (int lane = 0; lane < lanes; ++lane) {
      const double size = std::fabs(defect[lane]);
      if (!(size <= worst[lane])) worst[lane] = std::isfinite(size) ? size : HUGE_VAL;
    }
  return worst;
}

namespace {

// A deep sea of square cells has diagonal couplings alone; the area of a cell adds to the centre.
bool marches_hold(const TileShape& shape) {
  using K = TileCoefficients;
  constexpr double coupling = -0.235;
  std::vector<Lanes> values(K::size(shape));
  const std::vector<Lanes> inverses(K::inverses(shape), Lanes{} + 1.0 / coupling);
  const K a{shape, values.data(), inverses.data()};
  for (int j = 0; j < shape.n; ++j)
    for (int i = 0; i < shape.m; ++i) {
      Lanes* own = values.data() + a.place(i, j);
      own[K::north_east] = own[K::north_west] = Lanes{} + coupling;
    }
  std::vector<Lanes> influence(static_cast<std::size_t>(shape.guesses()) * shape.guesses());
  fill_influence(a, influence.data());
  return march_error(a, influence.data(), true)[0] <= largest_march_error;
}

// Not larger than these along either axis.
TileShape largest_that_holds(const TileShape& asked) {
  TileShape shape = asked;
  while (shape.m > 2 && shape.n > 2 && !marches_hold(shape)) {
    const int most = std::max(shape.m, shape.n) - 1;
    shape = {std::min(asked.m, most), std::min(asked.n, most)};
  }
  return shape;
}

}  // namespace

void check_marches(const std::string& key, const std::array<int, 2>& asked,
                   const TileShape& shape) {
  if (marches_hold(shape)) return;
  const TileShape most = largest_that_holds(shape);
  throw std::invalid_argument(
      key + " = " + std::to_string(asked[0]) + " x " + std::to_string(asked[1]) +
      " is too large for evp: marches through such blocks are unstable, and the largest that hold "
      "have " +
      std::to_string(most.m) + " x " + std::to_string(most.n) + " cells");
}

}  // namespace phasewise::ocean
