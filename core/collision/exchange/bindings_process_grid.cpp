// Bindings of the process grids of a collision: which rank holds what.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bindings/named.hpp"
#include "collision/exchange/process_grid.hpp"

namespace nb = nanobind;

namespace phasewise::collision {
namespace {

Layout layout_named(const std::string& name) {
  return bindings::named<Layout>("layout", name,
                                 {{"random", Layout::random},
                                  {"row-first", Layout::row_first},
                                  {"column-first", Layout::column_first}});
}

using Shapes = std::array<std::array<int, 2>, 2>;

std::array<Shape, 2> shapes_of(const Shapes& shapes) {
  return {Shape{shapes[0][0], shapes[0][1]}, Shape{shapes[1][0], shapes[1][1]}};
}

nb::list places_laid_out(const std::string& layout, const Shapes& shapes, std::uint64_t seed) {
  nb::list result;
  for (const Place& place : lay_out(layout_named(layout), shapes_of(shapes), seed))
    result.append(nb::make_tuple(place.beam + 1, place.column, place.row));
  return result;
}

nb::dict ranks_of_grid(const Shapes& shapes, const std::vector<std::array<int, 3>>& places,
                       const std::vector<int>& nodes) {
  std::vector<Place> zero_based;
  zero_based.reserve(places.size());
  for (const auto& [beam, column, row] : places) zero_based.push_back({beam - 1, column, row});
  const ProcessGrid grid(shapes_of(shapes), std::move(zero_based), nodes);
  nb::list beams, columns, rows;
  for (int beam = 0; beam < 2; ++beam) {
    nb::list of_columns, of_rows;
    for (int c = 0; c < grid.shape(beam).prow; ++c) of_columns.append(grid.column(beam, c));
    for (int r = 0; r < grid.shape(beam).pcol; ++r) of_rows.append(grid.row(beam, r));
    beams.append(grid.beam(beam));
    columns.append(of_columns);
    rows.append(of_rows);
  }
  nb::dict result;
  result["beams"] = beams;
  result["columns"] = columns;
  result["rows"] = rows;
  return result;
}

}  // namespace

void bind_process_grid(nb::module_& m) {
  m.def("lay_out", &places_laid_out, nb::arg("layout"), nb::arg("shapes"), nb::arg("seed") = 0,
        "The place of each rank, (beam, column, row), in process grids [[Prow, Pcol], …] of beams "
        "1 and 2.");
  m.def(
      "default_shape",
      [](int ranks, int slices) {
        const Shape shape = default_shape(ranks, slices);
        return std::array<int, 2>{shape.prow, shape.pcol};
      },
      nb::arg("ranks"), nb::arg("slices"),
      "The default [Prow, Pcol] for a beam's ranks and slices.");
  m.def("ranks_of_beams", &ranks_of_beams, nb::arg("ranks"), "Ranks of each beam.");
  m.def(
      "process_grid", &ranks_of_grid, nb::arg("shapes"), nb::arg("places"), nb::arg("nodes"),
      "Checks the places (beam, column, row) of all ranks; returns the ranks of each beam, and of "
      "each of its columns and rows.");
}

}  // namespace phasewise::collision
