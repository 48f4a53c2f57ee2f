// Which rank holds which part of which beam: each beam has a grid of Prow columns with Pcol
// processes each. Slices are dealt to the columns, and the rows of a slice's mesh are divided over
// the processes of a column.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace phasewise::collision {

// Written Prow x Pcol. A row has Prow processes, one of each column; a column has Pcol.
struct Shape {
  int prow = 1, pcol = 1;
  int ranks() const { return prow * pcol; }
  bool operator==(const Shape&) const = default;
};

struct Place {
  int beam = 0;    // 0 or 1
  int column = 0;  // 0 … Prow - 1: the place along the row
  int row = 0;     // 0 … Pcol - 1: the place along the column
  bool operator==(const Place&) const = default;
};

// row_first: rank = (beam, row, column), so that successive ranks are neighbours along a row.
// column_first: rank = (beam, column, row), so that they are neighbours in a column.
enum class Layout { random, row_first, column_first, file };

// The default shape for a beam's ranks and slices: one rank per column if there are enough slices
// for all columns; otherwise columns of sixteen ranks, if sixteen divides the ranks and there are
// enough slices; otherwise the shortest columns for which there are enough slices.
Shape default_shape(int ranks, int slices);
// The number of ranks of each beam, the larger half for beam 1. A single rank holds both beams.
std::array<int, 2> ranks_of_beams(int ranks);
// The place of each rank. The random layout is a permutation that follows from the seed.
std::vector<Place> lay_out(Layout layout, std::array<Shape, 2> shapes, std::uint64_t seed);

class ProcessGrid {
 public:
  // places[rank] is the rank's place, nodes[rank] the node that it is on. Throws
  // std::invalid_argument if a place is missing, given twice or outside its grid. A single rank
  // holds column 0, row 0 of both beams.
  ProcessGrid(std::array<Shape, 2> shapes, std::vector<Place> places, std::vector<int> nodes);

  int ranks() const { return static_cast<int>(nodes_.size()); }
  bool divided() const { return ranks() > 1; }
  const Shape& shape(int beam) const { return shapes_[beam]; }
  const Place& place(int rank) const { return places_[rank]; }
  bool holds(int rank, int beam) const { return !divided() || places_[rank].beam == beam; }
  int rank_at(int beam, int column, int row) const {
    return rank_at_[beam][static_cast<std::size_t>(column) * shapes_[beam].pcol + row];
  }
  int node(int rank) const { return nodes_[rank]; }
  const std::vector<int>& nodes() const { return nodes_; }
  // The ranks of one column, by row; of one row, by column; of a beam, by column and then row.
  std::vector<int> column(int beam, int column) const;
  std::vector<int> row(int beam, int row) const;
  const std::vector<int>& beam(int beam) const { return rank_at_[beam]; }

 private:
  std::array<Shape, 2> shapes_;
  std::vector<Place> places_;
  std::vector<int> nodes_;
  std::array<std::vector<int>, 2> rank_at_;
};

}  // namespace phasewise::collision
