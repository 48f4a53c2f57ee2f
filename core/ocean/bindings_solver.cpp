// The blocks, the messages of a halo, and the solver, as Python sees them.
#include "ocean/bindings_solver.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "ocean/solver/nine_point.hpp"

namespace nb = nanobind;

namespace phasewise::ocean {
namespace {

using GivenArray = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using GivenMask = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The place of a name among those of an enumeration.
template <class Names>
int place_of_name(const Names& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found == std::end(names)) throw std::invalid_argument("there is no '" + name + "'");
  return static_cast<int>(found - std::begin(names));
}

Method method_named(const std::string& name) {
  return static_cast<Method>(
      place_of_name(std::array<std::string, 4>{"pcg", "chrongear", "pipelined", "pcsi"}, name));
}
Preconditioner preconditioner_named(const std::string& name) {
  return static_cast<Preconditioner>(
      place_of_name(std::array<std::string, 3>{"none", "diagonal", "evp"}, name));
}
Distribution distribution_named(const std::string& name) {
  return static_cast<Distribution>(
      place_of_name(std::array<std::string, 3>{"cartesian", "balanced", "curve"}, name));
}
exchange::Protocol protocol_named(const std::string& name) {
  return static_cast<exchange::Protocol>(place_of_name(exchange::protocol_names, name));
}

SeaMask mask_of(const GivenMask& mask, bool periodic_x, bool periodic_y) {
  return {.nx = static_cast<int>(mask.shape(1)),
          .ny = static_cast<int>(mask.shape(0)),
          .periodic_x = periodic_x,
          .periodic_y = periodic_y,
          .sea = {mask.data(), mask.data() + mask.size()}};
}

std::vector<double> values_of(const GivenArray& array) {
  return {array.data(), array.data() + array.size()};
}

nb::object two_dimensional(std::vector<double> values, const SeaMask& mask) {
  return nb::cast(bindings::to_array(
      std::move(values), {static_cast<std::size_t>(mask.ny), static_cast<std::size_t>(mask.nx)}));
}

class BoundNinePoint {
 public:
  BoundNinePoint(const nb::dict& arrays, const GivenMask& mask, const nb::dict& setting)
      : mask_(mask_of(mask, nb::cast<bool>(setting["periodic_x"]),
                      nb::cast<bool>(setting["periodic_y"]))),
        solver_(whole_of(arrays), layout_of(setting), solver_of(setting),
                nb::cast<int>(setting["threads"])) {}

  nb::object solve(const GivenArray& b, const GivenArray& guess) {
    return two_dimensional(solver_.solve(b.data(), guess.data()), mask_);
  }
  nb::object precondition(const GivenArray& r) {
    return two_dimensional(solver_.precondition(r.data()), mask_);
  }
  nb::dict solved() const {
    const Solved& found = solver_.solved();
    nb::dict result;
    result["iterations"] = found.iterations;
    result["residual"] = found.residual;
    result["bounds"] = found.bounds;
    result["condition"] = found.condition;
    result["residuals"] = found.residuals;
    result["at"] = found.at;
    result["converged"] = solver_.converged();
    result["seconds"] = solver_.seconds();
    result["processor_seconds"] = solver_.processor_seconds();
    result["seconds_of_setup"] = solver_.seconds_of_setup();
    return result;
  }

 private:
  WholeOperator whole_of(const nb::dict& arrays) const {
    const auto array = [&](const char* name) { return nb::cast<GivenArray>(arrays[name]); };
    std::vector<double> north_west = values_of(array("north_west")),
                        north_east = values_of(array("north_east"));
    if (north_west == north_east) north_west.clear();
    return {.mask = mask_,
            .centre = values_of(array("centre")),
            .east = values_of(array("east")),
            .north = values_of(array("north")),
            .north_east = std::move(north_east),
            .north_west = std::move(north_west)};
  }
  static LayoutSetting layout_of(const nb::dict& setting) {
    LayoutSetting result;
    result.process_grid = nb::cast<std::array<int, 2>>(setting["process_grid"]);
    result.blocks = nb::cast<std::array<int, 2>>(setting["blocks"]);
    result.distribution = distribution_named(nb::cast<std::string>(setting["distribution"]));
    if (nb::cast<std::string>(setting["preconditioner"]) == "evp")
      result.tile = nb::cast<std::array<int, 2>>(setting["evp_block"]);
    return result;
  }
  static SolverSetting solver_of(const nb::dict& setting) {
    const auto word = [&](const char* key) { return nb::cast<std::string>(setting[key]); };
    return {.method = method_named(word("solver")),
            .preconditioner = preconditioner_named(word("preconditioner")),
            .tolerance = nb::cast<double>(setting["tolerance"]),
            .most_iterations = nb::cast<int>(setting["most_iterations"]),
            .iterations = nb::cast<int>(setting["iterations"]),
            .check_every = nb::cast<int>(setting["check_every"]),
            .iterations_per_exchange = nb::cast<int>(setting["iterations_per_exchange"]),
            .halo = protocol_named(word("solver_halo")),
            .sum = static_cast<exchange::SumAlgorithm>(
                place_of_name(exchange::sum_algorithms(), word("solver_sum"))),
            .sum_protocol = protocol_named(word("solver_sum_protocol"))};
  }

  SeaMask mask_;
  NinePoint solver_;
};

// What each rank has: the blocks as (x, y, nx, ny, owner), and the messages of each rank's halo of
// one field as (stage, peer, bytes) of those it sends.
nb::dict layout_of_ranks(const GivenMask& mask, int ranks, const std::string& distribution,
                         const std::array<int, 2>& process_grid, const std::array<int, 2>& blocks,
                         const std::array<int, 2>& tile, bool periodic_x, bool periodic_y) {
  const Layout layout(mask_of(mask, periodic_x, periodic_y),
                      {.process_grid = process_grid,
                       .blocks = blocks,
                       .distribution = distribution_named(distribution),
                       .tile = tile},
                      ranks);
  const std::vector<int> nodes(static_cast<std::size_t>(ranks), 0);
  nb::list of_blocks, of_ranks;
  for (const Block& block : layout.blocks())
    of_blocks.append(nb::make_tuple(block.x, block.y, block.nx, block.ny, block.owner, block.sea));
  for (int rank = 0; rank < ranks; ++rank) {
    const Planes planes(layout, rank);
    const Halo halo(layout, planes, nodes, rank, {.phase = "halo"});
    nb::list messages;
    for (std::size_t stage = 0; stage < halo.exchanges().size(); ++stage) {
      const exchange::Exchange& exchange = *halo.exchanges()[stage];
      for (const exchange::Round& round : *exchange.rounds)
        for (const exchange::Transfer& transfer : round.sends)
          messages.append(
              nb::make_tuple(stage, exchange.team->ranks[transfer.peer], exchange.bytes(transfer)));
    }
    of_ranks.append(messages);
  }
  nb::dict result;
  result["process_grid"] = layout.process_grid();
  result["blocks"] = of_blocks;
  result["messages"] = of_ranks;
  return result;
}

}  // namespace

void bind_solver(nb::module_& m) {
  nb::class_<BoundNinePoint>(m, "NinePointSolver",
                             "Solves equations of nine points on all ranks, which hand over whole "
                             "arrays (ny, nx). Collective, as are its functions.")
      .def(nb::init<const nb::dict&, const GivenMask&, const nb::dict&>(), nb::arg("coefficients"),
           nb::arg("mask"), nb::arg("setting"),
           "From centre, east, north, north_east and north_west, and every setting by its name.")
      .def("solve", &BoundNinePoint::solve, nb::arg("b"), nb::arg("guess"), "x of A x = b.")
      .def("precondition", &BoundNinePoint::precondition, nb::arg("r"), "M⁻¹ r.")
      .def("solved", &BoundNinePoint::solved, "How the last solve went.");
  m.def("ocean_layout", &layout_of_ranks, nb::arg("mask"), nb::arg("ranks"),
        nb::arg("distribution") = "cartesian", nb::arg("process_grid") = std::array<int, 2>{},
        nb::arg("blocks") = std::array<int, 2>{}, nb::arg("tile") = std::array<int, 2>{1, 1},
        nb::arg("periodic_x") = true, nb::arg("periodic_y") = false,
        "The blocks of a mask (ny, nx) on ranks, as (x, y, nx, ny, owner, sea), and the messages "
        "that each rank sends in the halo of a field, as (stage, rank, bytes).");
}

}  // namespace phasewise::ocean
