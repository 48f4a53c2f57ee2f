#include "qcd/layout.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace phasewise::qcd {
namespace {

Extents place_at(const Extents& grid, std::int64_t number, const Extents& order) {
  Extents place{};
  for (const int axis : order) {
    place[axis] = static_cast<int>(number % grid[axis]);
    number /= grid[axis];
  }
  return place;
}

constexpr Extents from_x{0, 1, 2, 3}, from_t{3, 2, 1, 0};

// Calls f(shape) for all boxes of `cells` cells whose extents divide those of `whole`.
template <class F>
void for_each_shape(const Extents& whole, int cells, F&& f) {
  Extents shape;
  const auto divides = [&](int axis, int left) {
    return left % shape[axis] == 0 && whole[axis] % shape[axis] == 0;
  };
  for (shape[0] = 1; shape[0] <= cells; ++shape[0]) {
    if (!divides(0, cells)) continue;
    const int after_x = cells / shape[0];
    for (shape[1] = 1; shape[1] <= after_x; ++shape[1]) {
      if (!divides(1, after_x)) continue;
      const int after_y = after_x / shape[1];
      for (shape[2] = 1; shape[2] <= after_y; ++shape[2]) {
        if (!divides(2, after_y)) continue;
        shape[3] = after_y / shape[2];
        if (whole[3] % shape[3] == 0) f(static_cast<const Extents&>(shape));
      }
    }
  }
}

// How many ranks each node has.
std::unordered_map<int, int> ranks_of_nodes(const std::vector<int>& nodes) {
  std::unordered_map<int, int> count;
  for (const int node : nodes) ++count[node];
  return count;
}

// The brick of `ranks` ranks with the smallest surface towards other nodes, in sites; none if the
// grid has no such brick.
std::optional<Extents> brick_of(const Extents& size, const Extents& grid, int ranks) {
  double least = -1.0;
  Extents best{};
  for_each_shape(grid, ranks, [&](const Extents& shape) {
    double surface = 0.0;
    for (int axis = 0; axis < axes; ++axis)
      if (shape[axis] < grid[axis])
        surface += 2.0 * grid[axis] / (static_cast<double>(shape[axis]) * size[axis]);
    if (least >= 0.0 && surface >= least) return;
    least = surface;
    best = shape;
  });
  return least < 0.0 ? std::nullopt : std::optional(best);
}

// The largest brick of which every node has whole ones.
Extents common_brick(const Extents& size, const Extents& grid,
                     const std::unordered_map<int, int>& ranks_of_node) {
  int common = 0;
  for (const auto& [node, ranks] : ranks_of_node) common = std::gcd(common, ranks);
  for (int ranks = common; ranks > 1; --ranks)
    if (common % ranks == 0)
      if (const auto brick = brick_of(size, grid, ranks)) return *brick;
  return {1, 1, 1, 1};
}

std::vector<Extents> bricks(const Extents& size, const Extents& grid,
                            const std::vector<int>& nodes) {
  const std::unordered_map<int, int> ranks_of_node = ranks_of_nodes(nodes);
  const Extents brick = common_brick(size, grid, ranks_of_node);
  const std::int64_t each = volume_of(brick);
  Extents of_bricks;
  for (int axis = 0; axis < axes; ++axis) of_bricks[axis] = grid[axis] / brick[axis];
  // Nodes follow each other in the order of their first ranks; the ranks of a node may not be
  // consecutive.
  std::unordered_map<int, std::int64_t> next;  // the number of a node's next place
  std::int64_t taken = 0;
  std::vector<Extents> places(nodes.size());
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const auto [found, is_new] = next.try_emplace(nodes[rank], taken);
    if (is_new) taken += ranks_of_node.at(nodes[rank]);
    const std::int64_t number = found->second++;
    const Extents outer = place_at(of_bricks, number / each, from_x);
    const Extents inner = place_at(brick, number % each, from_x);
    for (int axis = 0; axis < axes; ++axis)
      places[rank][axis] = outer[axis] * brick[axis] + inner[axis];
  }
  return places;
}

}  // namespace

std::vector<Extents> places_of(const Extents& size, const Extents& grid, Layout layout,
                               const std::vector<int>& nodes, std::uint64_t seed) {
  if (layout == Layout::bricks) return bricks(size, grid, nodes);
  std::vector<std::int64_t> numbers(nodes.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  if (layout == Layout::random) {
    std::mt19937_64 random(seed);
    for (std::size_t i = numbers.size(); i > 1; --i)
      std::swap(numbers[i - 1], numbers[random() % i]);
  }
  std::vector<Extents> places;
  places.reserve(numbers.size());
  for (const std::int64_t number : numbers)
    places.push_back(place_at(grid, number, layout == Layout::t_first ? from_t : from_x));
  return places;
}

std::vector<Extents> places_numbered(const Extents& grid, const std::vector<double>& numbers) {
  const auto count = static_cast<std::size_t>(volume_of(grid));
  if (numbers.size() != count)
    throw std::invalid_argument("communication.places gives places to " +
                                std::to_string(numbers.size()) + " ranks, and there are " +
                                std::to_string(count));
  std::vector<double> sorted = numbers;
  std::ranges::sort(sorted);
  for (std::size_t number = 0; number < count; ++number)
    if (sorted[number] != static_cast<double>(number))
      throw std::invalid_argument(
          "communication.places is no permutation: give each number from 0 "
          "to " +
          std::to_string(count - 1) + " once");
  std::vector<Extents> places;
  places.reserve(count);
  for (const double number : numbers)
    places.push_back(place_at(grid, static_cast<std::int64_t>(number), from_x));
  return places;
}

std::vector<int> ranks_at(const Extents& grid, const std::vector<Extents>& places) {
  std::vector<int> ranks(places.size());
  for (std::size_t rank = 0; rank < places.size(); ++rank)
    ranks[static_cast<std::size_t>(site_of(grid, places[rank]))] = static_cast<int>(rank);
  return ranks;
}

double surface_ratio(const Extents& size, const Extents& grid) {
  double ratio = 0.0;
  for (int axis = 0; axis < axes; ++axis)
    if (grid[axis] > 1) ratio += 2.0 * grid[axis] / size[axis];
  return ratio;
}

Extents least_surface(const Extents& size, int ranks) {
  Extents best{}, half;
  for (int axis = 0; axis < axes; ++axis) half[axis] = size[axis] / 2;
  double least = -1.0;
  for_each_shape(half, ranks, [&](const Extents& grid) {
    const double ratio = surface_ratio(size, grid);
    if (least >= 0.0 && ratio >= least) return;
    least = ratio;
    best = grid;
  });
  if (least < 0.0)
    throw std::invalid_argument("no process grid of " + std::to_string(ranks) +
                                " ranks divides lattice.size into parts of even extents");
  return best;
}

}  // namespace phasewise::qcd
