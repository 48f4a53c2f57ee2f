#include "atmosphere/layout.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "exchange/share.hpp"

namespace phasewise::atmosphere {
namespace {

[[noreturn]] void refuse_ranks(int ranks, const GridSetting& grid, const std::string& division,
                               std::int64_t most) {
  throw std::invalid_argument(std::to_string(ranks) + " ranks are too many: " + division + " of " +
                              std::to_string(grid.latitudes) + " latitudes by " +
                              std::to_string(grid.longitudes) + " longitudes are for at most " +
                              std::to_string(most));
}

// The shape whose blocks are nearest to squares.
std::array<int, 2> chosen_shape(const GridSetting& grid, int ranks) {
  std::array<int, 2> best{0, 0};
  double least = 0.0;
  for (int along = 1; along <= ranks; ++along) {
    const int across = ranks / along;
    if (along * across != ranks || along > grid.latitudes || across > grid.longitudes) continue;
    const double sides = static_cast<double>(grid.latitudes) / along * across / grid.longitudes;
    const double distance = std::fabs(std::log(sides));
    if (best[0] == 0 || distance < least) {
      best = {along, across};
      least = distance;
    }
  }
  return best;
}

std::array<int, 2> shape_of_blocks(const GridSetting& grid, const Manner& manner, int ranks) {
  const auto [along, across] = manner.process_grid;
  if (ranks > grid.columns()) refuse_ranks(ranks, grid, "blocks", grid.columns());
  if (along == 0) {
    const std::array<int, 2> chosen = chosen_shape(grid, ranks);
    if (chosen[0] > 0) return chosen;
    throw std::invalid_argument(
        std::to_string(ranks) + " ranks have no process grid that divides " +
        std::to_string(grid.latitudes) + " latitudes and " + std::to_string(grid.longitudes) +
        " longitudes; give another number");
  }
  const std::string given =
      "communication.process_grid = " + std::to_string(along) + "x" + std::to_string(across);
  if (std::int64_t{along} * across != ranks)
    throw std::invalid_argument(given + " needs " + std::to_string(std::int64_t{along} * across) +
                                " ranks, not " + std::to_string(ranks));
  if (along > grid.latitudes || across > grid.longitudes)
    throw std::invalid_argument(given + " divides more than the " + std::to_string(grid.latitudes) +
                                " latitudes and " + std::to_string(grid.longitudes) +
                                " longitudes that there are");
  return {along, across};
}

std::array<int, 2> shape_of(const GridSetting& grid, const Manner& manner, int ranks) {
  if (manner.division == Division::blocks) return shape_of_blocks(grid, manner, ranks);
  const bool bands = manner.division == Division::latitudes;
  const int most = bands ? grid.latitudes : grid.longitudes;
  if (ranks > most)
    refuse_ranks(ranks, grid, bands ? "bands of latitudes" : "slabs of longitudes", most);
  return bands ? std::array<int, 2>{ranks, 1} : std::array<int, 2>{1, ranks};
}

}  // namespace

Layout::Layout(const GridSetting& grid, const Manner& manner, int ranks)
    : shape_(shape_of(grid, manner, ranks)), owner_(static_cast<std::size_t>(grid.columns())) {
  columns_.reserve(owner_.size());
  for (int rank = 0; rank < ranks; ++rank) {
    begin_.push_back(columns_.size());
    const auto [south, north] = exchange::share(grid.latitudes, shape_[0], rank / shape_[1]);
    const auto [west, east] = exchange::share(grid.longitudes, shape_[1], rank % shape_[1]);
    for (int row = south; row < north; ++row)
      for (int j = west; j < east; ++j) {
        const int column = row * grid.longitudes + j;
        owner_[column] = rank;
        columns_.push_back(column);
      }
  }
  begin_.push_back(columns_.size());
}

}  // namespace phasewise::atmosphere
