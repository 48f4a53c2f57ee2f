// Bindings of exchange algorithms: which chunks a member sends to whom.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bindings/named.hpp"
#include "exchange/rounds.hpp"

namespace nb = nanobind;

namespace phasewise::bindings {
namespace {

exchange::Algorithm algorithm_named(const std::string& name) {
  using exchange::Algorithm;
  return named<Algorithm>("algorithm", name,
                          {{"direct", Algorithm::direct},
                           {"hypercube", Algorithm::hypercube},
                           {"node-aware", Algorithm::node_aware}});
}

exchange::Schedule schedule_named(const std::string& name) {
  using exchange::Schedule;
  return named<Schedule>("schedule", name,
                         {{"ring", Schedule::ring}, {"pairwise", Schedule::pairwise}});
}

exchange::Transpose transpose_named(const std::string& name) {
  using exchange::Transpose;
  return named<Transpose>(
      "transpose", name,
      {{"pairwise", Transpose::pairwise}, {"ring", Transpose::ring}, {"bruck", Transpose::bruck}});
}

nb::list list_of(const std::vector<exchange::Transfer>& transfers) {
  nb::list result;
  for (const exchange::Transfer& transfer : transfers)
    result.append(nb::make_tuple(transfer.peer, transfer.chunks));
  return result;
}

nb::list list_of(const exchange::Rounds& rounds) {
  nb::list result;
  for (const exchange::Round& round : rounds) {
    nb::dict here;
    here["sends"] = list_of(round.sends);
    here["receives"] = list_of(round.receives);
    result.append(here);
  }
  return result;
}

nb::list reduce_rounds(const std::string& algorithm, const std::string& schedule, int me,
                       const std::vector<int>& nodes, bool backwards) {
  const exchange::Rounds rounds =
      exchange::reduce_rounds(algorithm_named(algorithm), schedule_named(schedule), me, nodes);
  return list_of(backwards ? exchange::reversed(rounds) : rounds);
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
      "pipelined_ring_rounds",
      [](int me, int p) { return bindings::list_of(exchange::pipelined_ring_rounds(me, p)); },
      nb::arg("me"), nb::arg("p"),
      "The rounds of member `me` in a reduce-scatter along a ring of p members, in the form of "
      "reduce_rounds.");
  m.def(
      "transpose_rounds",
      [](const std::string& algorithm, int me, int p) {
        return bindings::list_of(
            exchange::transpose_rounds(bindings::transpose_named(algorithm), me, p));
      },
      nb::arg("algorithm"), nb::arg("me"), nb::arg("p"),
      "The rounds of member `me` in an all-to-all among p members, in the form of reduce_rounds, "
      "with slots in place of chunks.");
}
