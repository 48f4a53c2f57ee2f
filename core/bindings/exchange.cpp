// Bindings of the geometry of exchanges: who sends which chunks to whom, and which rank is where.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "collision/process_grid.hpp"
#include "comm/rounds.hpp"

namespace nb = nanobind;

namespace phasewise::bindings {
namespace {

template <class T>
using Names = std::vector<std::pair<std::string, T>>;

template <class T>
T named(const std::string& what, const std::string& name, const Names<T>& names) {
  std::string known;
  for (const auto& [candidate, value] : names) {
    if (candidate == name) return value;
    known += (known.empty() ? "" : ", ") + candidate;
  }
  throw std::invalid_argument("there is no " + what + " '" + name + "': give one of " + known);
}

comm::Algorithm algorithm_named(const std::string& name) {
  using comm::Algorithm;
  return named<Algorithm>("algorithm", name,
                          {{"direct", Algorithm::direct},
                           {"hypercube", Algorithm::hypercube},
                           {"node-aware", Algorithm::node_aware}});
}

comm::Schedule schedule_named(const std::string& name) {
  using comm::Schedule;
  return named<Schedule>("schedule", name,
                         {{"ring", Schedule::ring}, {"pairwise", Schedule::pairwise}});
}

comm::Transpose transpose_named(const std::string& name) {
  using comm::Transpose;
  return named<Transpose>(
      "transpose", name,
      {{"pairwise", Transpose::pairwise}, {"ring", Transpose::ring}, {"bruck", Transpose::bruck}});
}

collision::Layout layout_named(const std::string& name) {
  using collision::Layout;
  return named<Layout>("layout", name,
                       {{"random", Layout::random},
                        {"row-first", Layout::row_first},
                        {"column-first", Layout::column_first}});
}

nb::list list_of(const std::vector<comm::Transfer>& transfers) {
  nb::list result;
  for (const comm::Transfer& transfer : transfers)
    result.append(nb::make_tuple(transfer.peer, transfer.chunks));
  return result;
}

nb::list list_of(const comm::Rounds& rounds) {
  nb::list result;
  for (const comm::Round& round : rounds) {
    nb::dict here;
    here["sends"] = list_of(round.sends);
    here["receives"] = list_of(round.receives);
    result.append(here);
  }
  return result;
}

nb::list reduce_rounds(const std::string& algorithm, const std::string& schedule, int me,
                       const std::vector<int>& nodes, bool backwards) {
  const comm::Rounds rounds =
      comm::reduce_rounds(algorithm_named(algorithm), schedule_named(schedule), me, nodes);
  return list_of(backwards ? comm::reversed(rounds) : rounds);
}

using Shapes = std::array<std::array<int, 2>, 2>;

std::array<collision::Shape, 2> shapes_of(const Shapes& shapes) {
  return {collision::Shape{shapes[0][0], shapes[0][1]},
          collision::Shape{shapes[1][0], shapes[1][1]}};
}

nb::list lay_out(const std::string& layout, const Shapes& shapes, std::uint64_t seed) {
  nb::list result;
  for (const collision::Place& place :
       collision::lay_out(layout_named(layout), shapes_of(shapes), seed))
    result.append(nb::make_tuple(place.beam + 1, place.column, place.row));
  return result;
}

nb::dict process_grid(const Shapes& shapes, const std::vector<std::array<int, 3>>& places,
                      const std::vector<int>& nodes) {
  std::vector<collision::Place> zero_based;
  zero_based.reserve(places.size());
  for (const auto& [beam, column, row] : places) zero_based.push_back({beam - 1, column, row});
  const collision::ProcessGrid grid(shapes_of(shapes), std::move(zero_based), nodes);
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
}  // namespace phasewise::bindings

void bind_exchange(nb::module_& m) {
  using namespace phasewise;
  m.def("reduce_rounds", &bindings::reduce_rounds, nb::arg("algorithm"), nb::arg("schedule"),
        nb::arg("me"), nb::arg("nodes"), nb::arg("backwards") = false,
        "The rounds of member `me` in a reduce-scatter among members on the given nodes (p,), or, "
        "backwards, in an all-gather: dicts with `sends` and `receives`, lists of (peer, chunks).");
  m.def(
      "transpose_rounds",
      [](const std::string& algorithm, int me, int p) {
        return bindings::list_of(
            comm::transpose_rounds(bindings::transpose_named(algorithm), me, p));
      },
      nb::arg("algorithm"), nb::arg("me"), nb::arg("p"),
      "The rounds of member `me` in an all-to-all among p members, as of reduce_rounds, with slots "
      "in place of chunks.");
  m.def("lay_out", &bindings::lay_out, nb::arg("layout"), nb::arg("shapes"), nb::arg("seed") = 0,
        "The place of each rank, (beam, column, row), in process grids [[Prow, Pcol], …] of beams "
        "1 and 2.");
  m.def(
      "default_shape",
      [](int ranks, int slices) {
        const collision::Shape shape = collision::default_shape(ranks, slices);
        return std::array<int, 2>{shape.prow, shape.pcol};
      },
      nb::arg("ranks"), nb::arg("slices"), "[Prow, Pcol] for so many ranks of a beam and slices.");
  m.def("ranks_of_beams", &collision::ranks_of_beams, nb::arg("ranks"), "Ranks of each beam.");
  m.def(
      "process_grid", &bindings::process_grid, nb::arg("shapes"), nb::arg("places"),
      nb::arg("nodes"),
      "Checks the places (beam, column, row) of all ranks; the ranks of each beam, and of each of "
      "its columns and rows.");
}
