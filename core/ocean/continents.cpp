#include "ocean/continents.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <queue>
#include <utility>

#include "numerics/normal.hpp"

namespace phasewise::ocean {
namespace {

constexpr std::uint32_t height_stream = 1;  // of random numbers
constexpr int octaves = 6;
constexpr int coarsest = 5;  // nodes of the largest scale around the globe
constexpr double persistence = 0.55;
constexpr double least_depth = 1.0;  // m, of a cell that is not land
constexpr std::int64_t most_coarse_cells = 600'000;

// Continuous first and second derivatives.
double smooth_step(double t) { return t * t * t * (t * (t * 6.0 - 15.0) + 10.0); }

// Random numbers at the nodes of a lattice, which is periodic along x, and between them smooth.
class Noise {
 public:
  Noise(std::uint64_t seed, int octave, int nodes, double aspect)
      : nodes_(nodes), scale_(nodes * aspect) {
    const int rows = static_cast<int>(scale_) + 2;
    values_.resize(static_cast<std::size_t>(rows) * nodes);
    for (std::size_t node = 0; node < values_.size(); ++node) {
      double unused;
      numerics::uniform_pair(seed, static_cast<std::uint32_t>(node), 0, height_stream,
                             static_cast<std::uint32_t>(octave), values_[node], unused);
    }
  }
  // x and y are shares of the extents, from 0 to 1.
  double at(double x, double y) const {
    const double column = x * nodes_, row = y * scale_;
    const int i = static_cast<int>(column), j = static_cast<int>(row);
    const double a = smooth_step(column - i), b = smooth_step(row - j);
    const double south = node(i, j) + a * (node(i + 1, j) - node(i, j));
    const double north = node(i, j + 1) + a * (node(i + 1, j + 1) - node(i, j + 1));
    return south + b * (north - south);
  }

 private:
  double node(int i, int j) const {
    return values_[static_cast<std::size_t>(j) * nodes_ + i % nodes_];
  }
  int nodes_;
  double scale_;
  std::vector<double> values_;
};

// A grid of which each cell stands for a square of cells.
struct Coarse {
  int nx, ny, factor;
  bool periodic_x, periodic_y;
  std::size_t at(int i, int j) const { return static_cast<std::size_t>(j) * nx + i; }
};

Coarse coarse_of(const Grid& grid) {
  int factor = 1;
  const auto cells = [&] { return std::int64_t{grid.nx() / factor} * (grid.ny() / factor); };
  while (factor < 64 && cells() > most_coarse_cells && grid.nx() % (2 * factor) == 0 &&
         grid.ny() % (2 * factor) == 0)
    factor *= 2;
  return {grid.nx() / factor, grid.ny() / factor, factor, grid.periodic_x(), grid.periodic_y()};
}

std::vector<double> heights(const Coarse& coarse, std::uint64_t seed) {
  const double aspect = static_cast<double>(coarse.ny) / coarse.nx;
  std::vector<double> height(coarse.at(0, coarse.ny));
  double amplitude = 1.0;
  for (int octave = 0; octave < octaves; ++octave, amplitude *= persistence) {
    const Noise noise(seed, octave, coarsest << octave, aspect);
    for (int j = 0; j < coarse.ny; ++j)
      for (int i = 0; i < coarse.nx; ++i)
        height[coarse.at(i, j)] +=
            amplitude * noise.at((i + 0.5) / coarse.nx, (j + 0.5) / coarse.ny);
  }
  return height;
}

// Floods the lowest cells from the lowest one on, corner by corner: a corner has four cells, of
// which one is wet already. Returns the height of the shore.
class Flood {
 public:
  Flood(const Coarse& coarse, const std::vector<double>& height)
      : coarse_(coarse),
        height_(height),
        wet(height.size()),
        columns_(coarse.periodic_x ? coarse.nx : coarse.nx - 1),
        rows_(coarse.periodic_y ? coarse.ny : coarse.ny - 1),
        seen_(height.size()) {}

  double fill(std::int64_t wanted) {
    double shore = 0.0;
    std::int64_t count = 0;
    reach(lowest());
    while (count < wanted && !reached_.empty()) {
      const auto [corner_height, corner] = reached_.top();
      reached_.pop();
      shore = std::max(shore, corner_height);
      const int i = corner % coarse_.nx, j = corner / coarse_.nx;
      for (const std::size_t cell : cells_of(i, j)) {
        if (wet[cell] != 0) continue;
        wet[cell] = 1;
        ++count;
      }
      for (int dj = -1; dj <= 1; ++dj)
        for (int di = -1; di <= 1; ++di) reach({i + di, j + dj});
    }
    return shore;
  }

 private:
  using Corner = std::pair<int, int>;
  std::array<std::size_t, 4> cells_of(int i, int j) const {
    const int east = (i + 1) % coarse_.nx, north = (j + 1) % coarse_.ny;
    return {coarse_.at(i, j), coarse_.at(east, j), coarse_.at(i, north), coarse_.at(east, north)};
  }
  double height_of(int i, int j) const {
    double highest = 0.0;  // heights are positive
    for (const std::size_t cell : cells_of(i, j)) highest = std::max(highest, height_[cell]);
    return highest;
  }
  Corner lowest() const {
    Corner found{0, 0};
    for (int j = 0; j < rows_; ++j)
      for (int i = 0; i < columns_; ++i)
        if (height_of(i, j) < height_of(found.first, found.second)) found = {i, j};
    return found;
  }
  void reach(Corner corner) {
    auto [i, j] = corner;
    if (coarse_.periodic_x) i = (i + coarse_.nx) % coarse_.nx;
    if (coarse_.periodic_y) j = (j + coarse_.ny) % coarse_.ny;
    if (i < 0 || i >= columns_ || j < 0 || j >= rows_ || seen_[coarse_.at(i, j)] != 0) return;
    seen_[coarse_.at(i, j)] = 1;
    reached_.emplace(height_of(i, j), static_cast<int>(coarse_.at(i, j)));
  }

  const Coarse& coarse_;
  const std::vector<double>& height_;

 public:
  std::vector<std::uint8_t> wet;

 private:
  using Reached = std::pair<double, int>;
  int columns_, rows_;  // of corners
  std::vector<std::uint8_t> seen_;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> reached_;  // the lowest first
};

}  // namespace

std::vector<double> continents(const Grid& grid, std::uint64_t seed, double sea) {
  const Coarse coarse = coarse_of(grid);
  const std::vector<double> height = heights(coarse, seed);
  Flood flood(coarse, height);
  const double shore =
      flood.fill(static_cast<std::int64_t>(std::floor(sea * static_cast<double>(height.size()))));
  const double lowest = *std::ranges::min_element(height);
  std::vector<double> depth(static_cast<std::size_t>(grid.nx()) * grid.ny());
  for (int j = 0; j < grid.ny(); ++j)
    for (int i = 0; i < grid.nx(); ++i) {
      const std::size_t cell = coarse.at(i / coarse.factor, j / coarse.factor);
      if (flood.wet[cell] == 0) continue;
      // Steep at the coast, and flat in the deep.
      const double below = (shore - height[cell]) / (shore - lowest);
      const double rest = (1.0 - below) * (1.0 - below);
      depth[static_cast<std::size_t>(j) * grid.nx() + i] =
          std::max(least_depth, grid.depth(grid.nz()) * (1.0 - rest * rest));
    }
  return depth;
}

}  // namespace phasewise::ocean
