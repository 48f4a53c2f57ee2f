#include "beam/closed_orbit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "beam/square.hpp"

namespace phasewise::beam {
namespace {

constexpr int most_newton_steps = 40;

Passage passage_from(const Place& start, const std::vector<Element>& elements) {
  const auto [passage, complete] = expansion_about(start, elements);
  if (!complete)
    throw std::invalid_argument(
        "an element of the lattice has no expansion, so that there is no orbit to match to");
  return passage;
}

// The largest difference of a coordinate between the begin and the end of a passage.
double distance(const Place& a, const Place& b, int dimensions) {
  double most = 0.0;
  for (int i = 0; i < dimensions; ++i) most = std::fmax(most, std::fabs(a[i] - b[i]));
  return most;
}

}  // namespace

ClosedOrbit closed_orbit(const std::vector<Element>& elements, double delta) {
  Place start{0.0, 0.0, 0.0, 0.0, 0.0, delta};
  Passage passage = passage_from(start, elements);
  const bool bunched = passage.map.rows[5][4] != 0.0;
  const int n = bunched ? 6 : 4;
  double before = std::numeric_limits<double>::infinity();
  for (int step = 0; step < most_newton_steps; ++step) {
    const double missed = distance(passage.end, start, n);
    // Below a nanometre Newton's method continues only while each step halves the distance: then
    // rounding limits it.
    if (missed == 0.0 || (missed < 1e-9 && !(missed < 0.5 * before)))
      return {start, passage.map, bunched};
    before = missed;
    Square matrix{};
    Place rest{};
    for (int i = 0; i < n; ++i) {
      rest[i] = passage.end[i] - start[i];
      for (int j = 0; j < n; ++j) matrix[i][j] = (i == j ? 1.0 : 0.0) - passage.map.rows[i][j];
    }
    if (!solve(matrix, rest, n)) break;
    for (int i = 0; i < n; ++i) start[i] += rest[i];
    passage = passage_from(start, elements);
    if (!std::isfinite(distance(passage.end, start, n))) break;
  }
  throw std::invalid_argument(
      "the lattice has no closed orbit: Newton's method from the reference orbit finds none");
}

}  // namespace phasewise::beam
