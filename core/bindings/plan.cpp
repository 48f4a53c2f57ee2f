// The plan of a turn for Python, with its traffic and its work, counted without MPI.
#include "driver/plan.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/parameters.hpp"
#include "driver/charged.hpp"

namespace nb = nanobind;

namespace {

using namespace phasewise;
using bindings::numpy;

template <class Values>
nb::list list_of(const Values& values) {
  nb::list result;
  for (const auto& value : values) result.append(value);
  return result;
}

nb::dict phase_dict(const driver::PlannedPhase& phase) {
  nb::list sizes;
  for (const auto& [bytes, count] : phase.sizes) {
    nb::list size;
    size.append(bytes);
    size.append(count);
    sizes.append(size);
  }
  nb::dict result;
  result["name"] = phase.name;
  result["pattern"] = phase.traits.pattern;
  result["direction"] = phase.traits.direction;
  result["main"] = phase.traits.main;
  result["colour"] = phase.traits.colour;
  for (const auto& [label, word] : phase.traits.labels) result[label.c_str()] = word;
  result["library"] = phase.library;
  result["per"] = phase.per;
  if (!phase.piece.empty()) result["piece"] = phase.piece;
  result["rank"] = phase.rank;
  result["messages"] = phase.messages;
  result["sizes"] = sizes;
  result["bytes_per_rank"] = phase.bytes;
  result["synchronisations"] = phase.synchronisations;
  result["intra_node"] = phase.intra_node;
  result["inter_node"] = phase.inter_node;
  return result;
}

nb::dict plan(const std::string& parameters, int ranks, int node_size, int rank) {
  const auto study = bindings::plan_study(parameters, ranks, node_size);
  nb::list grids, phases;
  for (const std::vector<int>& shape : study->process_grid()) grids.append(list_of(shape));
  for (const driver::PlannedPhase& phase : driver::plan_turn(*study, rank))
    phases.append(phase_dict(phase));
  nb::dict loads;
  for (const workload::Load& load : study->loads()) loads[load.name.c_str()] = list_of(load.values);
  nb::dict result;
  result["ranks"] = study->ranks();
  result["process_grid"] = grids;
  result["phases"] = phases;
  result["load"] = loads;
  return result;
}

nb::list phases_of(const std::string& parameters, int ranks, int node_size) {
  nb::list result;
  for (const workload::Phase& phase :
       bindings::plan_study(parameters, ranks, node_size)->phases()) {
    nb::dict one;
    one["name"] = phase.name;
    one["main"] = phase.main;
    one["colour"] = phase.colour;
    result.append(one);
  }
  return result;
}

// How often a data-dependent piece occurs in this number of first turns. One that belongs to every
// n-th turn comes as early as the first turn has it.
double in_first(const workload::Piece& piece, int turns) {
  constexpr double rounding = 1e-9;
  const double all = piece.expected * turns;
  const double whole =
      piece.first >= piece.expected ? std::ceil(all - rounding) : std::floor(all + rounding);
  return std::max(piece.first, whole);
}

nb::dict first_pieces(const std::string& parameters, int ranks, int turns) {
  nb::dict result;
  // The study owns the pieces' names.
  const auto study = bindings::plan_study(parameters, ranks, 1);
  // Pieces that are not listed are counted as often as in a later turn.
  for (const workload::Piece& piece : study->pieces())
    if (piece.first != piece.expected)
      result[nb::str(piece.name.data(), piece.name.size())] = in_first(piece, turns) / turns;
  return result;
}

nb::dict traffic(const std::string& parameters, int ranks, int node_size) {
  driver::PlannedTraffic found =
      driver::planned_traffic(*bindings::plan_study(parameters, ranks, node_size));
  nb::dict result;
  result["from"] = numpy(std::move(found.from));
  result["to"] = numpy(std::move(found.to));
  result["messages"] = numpy(std::move(found.messages));
  result["bytes"] = numpy(std::move(found.bytes));
  return result;
}

nb::list work(const std::string& parameters, int ranks, const nb::dict& pieces, bool each,
              const nb::dict& unit) {
  nb::list result;
  for (const driver::KernelWork& kernel :
       driver::planned_work(*bindings::plan_study(parameters, ranks, 1),
                            bindings::counts_from(pieces), each, bindings::unit_from(unit))) {
    nb::dict entry;
    entry["name"] = kernel.name;
    entry["part"] = kernel.part + 1;
    entry["vectorised"] = kernel.vectorised;
    entry["calls"] = kernel.calls;
    entry["items"] = kernel.items;
    entry["flops"] = kernel.flops;
    entry["bytes"] = kernel.bytes;
    entry["charged"] = kernel.charged;
    entry["seconds"] = kernel.seconds;
    entry["load"] = kernel.load;
    result.append(entry);
  }
  return result;
}

}  // namespace

void bind_plan(nb::module_& m) {
  m.def("plan", &plan, nb::arg("parameters"), nb::arg("ranks"), nb::arg("node_size") = 1,
        nb::arg("rank") = -1,
        "What each phase of a turn sends (docs/communication.md); ValueError if the study does not "
        "fit the ranks.");
  m.def("phases", &phases_of, nb::arg("parameters"), nb::arg("ranks"), nb::arg("node_size") = 1,
        "The phases of a study in the order in which they are shown, whether or not they send "
        "anything on these ranks: name; main, whether the phase does the workload's own exchange; "
        "colour, #rrggbb, or empty if pictures choose it. No messages are looked at.");
  m.def("first_pieces", &first_pieces, nb::arg("parameters"), nb::arg("ranks"),
        nb::arg("turns") = 1,
        "How often data-dependent pieces occur in the mean of this many first turns of a run, by "
        "name, on the rank where they occur most often; only pieces that the first turn has more "
        "or less often than a later one.");
  m.def("traffic", &traffic, nb::arg("parameters"), nb::arg("ranks"), nb::arg("node_size") = 1,
        "Messages and bytes of a turn between pairs of ranks: from, to, messages, bytes.");
  m.def("work", &work, nb::arg("parameters"), nb::arg("ranks"), nb::arg("pieces") = nb::dict(),
        nb::arg("each") = false, nb::arg("unit") = nb::dict(),
        "What each kernel does in each part of a turn (part, from 1: an interaction point), on the "
        "mean rank: items, flops, bytes; charged: the flops that take the vector unit as long "
        "(without one the flops themselves); load: the largest work of a rank over the mean, taken "
        "piece by piece. pieces: how often data-dependent pieces occur in a turn. each: go through "
        "the turn of every rank, even if some are alike, with the same result. unit: length, start "
        "and scalar of a vector unit (core/parallel/vector_unit.hpp). ValueError if the study does "
        "not fit the ranks.");
}
