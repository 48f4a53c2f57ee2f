#include "hydro/division.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace phasewise::hydro {
namespace {

std::string shape_text(const std::array<int, 2>& shape) {
  return std::to_string(shape[0]) + "x" + std::to_string(shape[1]);
}

[[noreturn]] void refuse(const std::string& sentence) { throw std::invalid_argument(sentence); }

}  // namespace

Box Box::shared_with(const Box& other) const {
  Box result;
  for (int axis = 0; axis < 3; ++axis) {
    const int first = std::max(along[axis].first, other.along[axis].first);
    const int last = std::min(along[axis].second, other.along[axis].second);
    result.along[axis] = {first, std::max(first, last)};
  }
  return result;
}

exchange::Region Box::region_of(const Box& part) const {
  constexpr std::int64_t value = sizeof(double);
  return {.offset = value * place(part.along[0].first, part.along[1].first, part.along[2].first),
          .run = value * part.size(0),
          .repeats =
              std::make_shared<const std::vector<exchange::Repeat>>(std::vector<exchange::Repeat>{
                  {part.size(2), value * stride(2)}, {part.size(1), value * stride(1)}})};
}

Division::Division(const Grid& grid, const Manner& manner, int ranks)
    : zones_{grid.zones_along(0), grid.zones_along(1), grid.zones_along(2)},
      dimensions_(grid.dimensions()),
      pencils_(manner.decomposition == Decomposition::pencils) {
  const std::array<int, 2> most{std::min(zones_[0], zones_[1]), std::min(zones_[1], zones_[2])};
  if (pencils_) {
    choose(manner, ranks, most);
    return;
  }
  const int side = dimensions_ == 3 ? 1 : 0, fitting = dimensions_ == 1 ? 1 : most[side];
  if (ranks > fitting) {
    std::string zones;
    for (int axis = 0; axis < dimensions_; ++axis)
      zones += (axis > 0 ? " x " : "") + std::to_string(zones_[axis]);
    const std::string further = dimensions_ == 3 ? "; communication.decomposition = \"pencils\" "
                                                   "divides the grid among more"
                                                 : "";
    refuse(std::to_string(ranks) + " ranks are too many: slabs of " + zones +
           " zones are for at most " + std::to_string(fitting) + further);
  }
  sides_[side] = ranks;
}

// The given process grid, or else the one nearest to a square.
void Division::choose(const Manner& manner, int ranks, const std::array<int, 2>& most) {
  const auto fits = [&](int first, int second) { return first <= most[0] && second <= most[1]; };
  const std::int64_t all = std::int64_t{most[0]} * most[1];
  const std::array<int, 2>& given = manner.process_grid;
  const std::string limit = "pencils of " + std::to_string(zones_[0]) + " x " +
                            std::to_string(zones_[1]) + " x " + std::to_string(zones_[2]) +
                            " zones are for at most " + shape_text(most) + " ranks";
  if (given[0] > 0 && given[1] > 0) {
    if (std::int64_t{given[0]} * given[1] != ranks)
      refuse("communication.process_grid = " + shape_text(given) + " needs " +
             std::to_string(std::int64_t{given[0]} * given[1]) + " ranks, not " +
             std::to_string(ranks));
    if (!fits(given[0], given[1]))
      refuse("communication.process_grid = " + shape_text(given) + " is too large: " + limit);
    sides_ = given;
    return;
  }
  if (ranks > all) refuse(std::to_string(ranks) + " ranks are too many: " + limit);
  sides_ = {0, 0};
  for (int shorter = 1; std::int64_t{shorter} * shorter <= ranks; ++shorter) {
    if (ranks % shorter != 0) continue;
    if (fits(shorter, ranks / shorter))
      sides_ = {shorter, ranks / shorter};
    else if (fits(ranks / shorter, shorter))
      sides_ = {ranks / shorter, shorter};
  }
  if (sides_[0] == 0)
    refuse(std::to_string(ranks) + " ranks have no process grid that fits: " + limit);
}

std::vector<int> Division::ranks_along(int rank, int which) const {
  std::vector<int> result;
  result.reserve(static_cast<std::size_t>(sides_[which]));
  for (int i = 0; i < sides_[which]; ++i)
    result.push_back(which == 0 ? i * sides_[1] + place(rank, 1) : place(rank, 0) * sides_[1] + i);
  return result;
}

std::vector<int> Division::shape() const {
  return pencils_ ? std::vector<int>{sides_[0], sides_[1]} : std::vector<int>{ranks()};
}

std::vector<int> Division::coordinates(int rank) const {
  return pencils_ ? std::vector<int>{place(rank, 0), place(rank, 1)} : std::vector<int>{rank};
}

Box Division::box(int rank, int whole_axis) const {
  Box result;
  for (int axis = 0; axis < 3; ++axis) result.along[axis] = {0, zones_[axis]};
  const auto divide = [&](int axis, int which) {
    result.along[axis] = exchange::share(zones_[axis], sides_[which], place(rank, which));
  };
  divide(whole_axis == 0 ? 1 : 0, 0);
  divide(whole_axis == 2 ? 1 : 2, 1);
  return result;
}

// The first shares are the largest.
std::int64_t Division::most_zones() const {
  std::int64_t most = 0;
  for (int axis = 0; axis < dimensions_; ++axis) most = std::max(most, box(0, axis).zones());
  return most;
}

}  // namespace phasewise::hydro
