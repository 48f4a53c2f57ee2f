#include "ocean/sea_floor.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "ocean/continents.hpp"

namespace phasewise::ocean {
namespace {

// A column of one level has no vertical mixing.
constexpr int least_levels = 2;

// The number of levels whose total thickness is nearest to a depth.
int levels_for(const Grid& grid, double depth) {
  int levels = std::min(least_levels, grid.nz());
  while (levels < grid.nz() && 0.5 * (grid.depth(levels) + grid.depth(levels + 1)) <= depth)
    ++levels;
  return levels;
}

std::vector<std::int16_t> from_depths(const Grid& grid, const std::vector<double>& depths) {
  std::vector<std::int16_t> levels(depths.size());
  std::ranges::transform(depths, levels.begin(), [&](double depth) {
    return static_cast<std::int16_t>(depth > 0.0 ? levels_for(grid, depth) : 0);
  });
  return levels;
}

std::vector<std::int16_t> from_runs(const Grid& grid, const std::vector<double>& runs) {
  const auto cells = static_cast<std::size_t>(grid.nx()) * grid.ny();
  std::vector<std::int16_t> levels;
  levels.reserve(cells);
  for (std::size_t run = 0; run + 1 < runs.size(); run += 2) {
    const double value = runs[run], count = runs[run + 1];
    if (!(value >= 0.0 && value <= grid.nz()) || value != std::floor(value))
      throw std::invalid_argument("ocean.sea_levels: a cell has 0 to " + std::to_string(grid.nz()) +
                                  " levels");
    if (!(count >= 1.0 && count <= static_cast<double>(cells - levels.size()))) break;
    levels.insert(levels.end(), static_cast<std::size_t>(count), static_cast<std::int16_t>(value));
  }
  if (levels.size() != cells || runs.size() % 2 != 0)
    throw std::invalid_argument("ocean.sea_levels: the runs are not those of " +
                                std::to_string(grid.nx()) + " x " + std::to_string(grid.ny()) +
                                " cells");
  return levels;
}

}  // namespace

SeaFloor::SeaFloor(const Grid& grid, const MaskSetting& setting)
    : nx_(grid.nx()),
      ny_(grid.ny()),
      periodic_x_(grid.periodic_x()),
      periodic_y_(grid.periodic_y()) {
  if (setting.mask == MaskSource::continents)
    levels_ = from_depths(grid, continents(grid, setting.seed, setting.sea));
  else if (setting.mask == MaskSource::file)
    levels_ = from_runs(grid, setting.runs);
  else
    levels_.assign(static_cast<std::size_t>(nx_) * ny_, static_cast<std::int16_t>(grid.nz()));
  if (std::ranges::all_of(levels_, [](std::int16_t levels) { return levels == 0; }))
    throw std::invalid_argument(
        setting.mask == MaskSource::continents
            ? "ocean.sea: so small a share of the grid leaves no sea: give a larger one"
            : "the mask of the ocean is of land alone: give a sea");
}

std::shared_ptr<const SeaFloor> SeaFloor::shared(const Grid& grid, const MaskSetting& setting) {
  using Key = std::tuple<int, int, Periodic, std::vector<double>, MaskSource, std::uint64_t, double,
                         std::vector<double>>;
  const GridSetting& of = grid.setting();
  const bool made = setting.mask == MaskSource::continents;
  Key key{of.nx,
          of.ny,
          of.periodic,
          of.thickness,
          setting.mask,
          made ? setting.seed : 0,
          made ? setting.sea : 0.0,
          setting.runs};
  static std::mutex mutex;
  static std::pair<Key, std::shared_ptr<const SeaFloor>> last;
  const std::lock_guard lock(mutex);
  if (last.second == nullptr || last.first != key)
    last = {std::move(key), std::make_shared<const SeaFloor>(grid, setting)};
  return last.second;
}

int SeaFloor::levels(int i, int j) const {
  if (periodic_x_) i = (i + nx_) % nx_;
  if (periodic_y_) j = (j + ny_) % ny_;
  if (i < 0 || i >= nx_ || j < 0 || j >= ny_) return 0;
  return levels_[static_cast<std::size_t>(j) * nx_ + i];
}

int SeaFloor::corner_levels(int i, int j) const {
  return std::min({levels(i, j), levels(i + 1, j), levels(i, j + 1), levels(i + 1, j + 1)});
}

SeaMask SeaFloor::mask() const {
  SeaMask mask{
      .nx = nx_, .ny = ny_, .periodic_x = periodic_x_, .periodic_y = periodic_y_, .sea = {}};
  mask.sea.resize(levels_.size());
  std::ranges::transform(levels_, mask.sea.begin(),
                         [](std::int16_t levels) { return levels > 0 ? 1 : 0; });
  return mask;
}

}  // namespace phasewise::ocean
