#include "collision/exchange/process_grid.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>

namespace phasewise::collision {
namespace {

// The height of columns that the source paper chose in the end.
constexpr int usual_column = 16;

// The ranks of both beams together are counted in an int.
constexpr int most_ranks_of_a_grid = 1'000'000'000;

std::string written(const Shape& shape) {
  return std::to_string(shape.prow) + "x" + std::to_string(shape.pcol);
}

std::string written(const Place& place) {
  return "beam " + std::to_string(place.beam + 1) + ", column " + std::to_string(place.column) +
         ", row " + std::to_string(place.row);
}

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

void require_shapes(const std::array<Shape, 2>& shapes) {
  for (const Shape& shape : shapes) {
    if (shape.prow < 1 || shape.pcol < 1)
      refuse("a process grid of " + written(shape) + ": give at least one column of one process");
    if (shape.prow > most_ranks_of_a_grid / shape.pcol)
      refuse("a process grid of " + written(shape) + ": give at most " +
             std::to_string(most_ranks_of_a_grid) + " ranks of a beam");
  }
}

// The places of one beam; successive ranks are neighbours along a row or in a column.
void append_places(std::vector<Place>& places, int beam, const Shape& shape, bool row_first) {
  for (int i = 0; i < shape.ranks(); ++i)
    places.push_back(row_first ? Place{beam, i % shape.prow, i / shape.prow}
                               : Place{beam, i / shape.pcol, i % shape.pcol});
}

// The Fisher-Yates shuffle, written out because std::shuffle differs between libraries. Taking the
// remainder causes a bias below ranks/2^64.
void shuffle(std::vector<Place>& places, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[engine() % i]);
}

void require_counts(const std::array<Shape, 2>& shapes, std::size_t places, std::size_t nodes) {
  const int ranks = shapes[0].ranks() + shapes[1].ranks();
  const bool alone = places == 1 && ranks == 2;
  if (!alone && places != static_cast<std::size_t>(ranks))
    refuse("process grids of " + written(shapes[0]) + " and " + written(shapes[1]) + " take " +
           std::to_string(ranks) + " ranks, and places are given for " + std::to_string(places));
  if (nodes != places)
    refuse("nodes are given for " + std::to_string(nodes) + " ranks, and places for " +
           std::to_string(places));
}

}  // namespace

Shape default_shape(int ranks, int slices) {
  if (ranks < 1 || slices < 1)
    refuse("no process grid has " + std::to_string(ranks) + " ranks for " + std::to_string(slices) +
           " slices: give at least one of each");
  if (ranks <= slices) return {ranks, 1};
  if (ranks % usual_column == 0 && ranks / usual_column <= slices)
    return {ranks / usual_column, usual_column};
  int column = (ranks - 1) / slices + 1;
  while (ranks % column != 0) ++column;
  return {ranks / column, column};
}

std::array<int, 2> ranks_of_beams(int ranks) {
  if (ranks < 1) refuse(std::to_string(ranks) + " ranks: give at least one");
  if (ranks == 1) return {1, 1};
  return {ranks - ranks / 2, ranks / 2};
}

std::vector<Place> lay_out(Layout layout, std::array<Shape, 2> shapes, std::uint64_t seed) {
  require_shapes(shapes);
  if (layout == Layout::file) refuse("the places of a layout from a file are read, not laid out");
  std::vector<Place> places;
  places.reserve(shapes[0].ranks() + shapes[1].ranks());
  for (int beam = 0; beam < 2; ++beam)
    append_places(places, beam, shapes[beam], layout == Layout::row_first);
  if (layout == Layout::random) shuffle(places, seed);
  return places;
}

ProcessGrid::ProcessGrid(std::array<Shape, 2> shapes, std::vector<Place> places,
                         std::vector<int> nodes)
    : shapes_(shapes), places_(std::move(places)), nodes_(std::move(nodes)) {
  require_shapes(shapes_);
  require_counts(shapes_, places_.size(), nodes_.size());
  for (int beam = 0; beam < 2; ++beam) rank_at_[beam].assign(shapes_[beam].ranks(), -1);
  for (int rank = 0; rank < ranks(); ++rank) {
    const Place& place = places_[rank];
    const auto refuse_here = [&](const std::string& why) {
      refuse("rank " + std::to_string(rank) + " at " + written(place) + ": " + why);
    };
    if (place.beam < 0 || place.beam > 1) refuse_here("there are beams 1 and 2");
    const Shape& shape = shapes_[place.beam];
    if (place.column < 0 || place.column >= shape.prow || place.row < 0 || place.row >= shape.pcol)
      refuse_here("outside of its process grid of " + written(shape) + ", columns 0 to " +
                  std::to_string(shape.prow - 1) + " of rows 0 to " +
                  std::to_string(shape.pcol - 1));
    int& held =
        rank_at_[place.beam][static_cast<std::size_t>(place.column) * shape.pcol + place.row];
    if (held >= 0) refuse_here("rank " + std::to_string(held) + " is there already");
    held = rank;
  }
  if (!divided()) rank_at_[0] = rank_at_[1] = {0};
}

std::vector<int> ProcessGrid::column(int beam, int column) const {
  const auto first =
      rank_at_[beam].begin() + static_cast<std::ptrdiff_t>(column) * shapes_[beam].pcol;
  return {first, first + shapes_[beam].pcol};
}

std::vector<int> ProcessGrid::row(int beam, int row) const {
  std::vector<int> ranks;
  ranks.reserve(shapes_[beam].prow);
  for (int column = 0; column < shapes_[beam].prow; ++column)
    ranks.push_back(rank_at(beam, column, row));
  return ranks;
}

}  // namespace phasewise::collision
