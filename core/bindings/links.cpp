// The loads of a machine's links, without MPI.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/parameters.hpp"
#include "contention/link_loads.hpp"
#include "driver/program.hpp"

namespace nb = nanobind;

namespace {

using namespace phasewise;

// Beyond so many messages of a turn, fewer steps stand for all.
constexpr std::int64_t most_messages = 400'000;

nb::list link_loads(const std::string& parameters, int ranks, const std::string& platform,
                    const nb::dict& pieces, bool agreed) {
  const contention::Network network(platform);
  const auto study = bindings::plan_study(parameters, ranks, network.node_ranks());
  std::vector<double> bytes(network.capacities().size(), 0.0);
  for (const auto& [share, counts] :
       workload::turns_with(study->pieces(), bindings::counts_from(pieces))) {
    const nb::gil_scoped_release unlocked;
    contention::add_link_bytes(driver::turn_program(*study, counts, {}, most_messages, agreed),
                               network, share, bytes);
  }
  nb::list result;
  for (std::size_t link = 0; link < bytes.size(); ++link) {
    const contention::LinkEnds ends = network.ends_of(static_cast<int>(link));
    if (bytes[link] <= 0.0 || ends.name.empty()) continue;
    result.append(nb::make_tuple(ends.name, ends.kind, ends.from, ends.to, bytes[link],
                                 bytes[link] / network.capacities()[link]));
  }
  return result;
}

}  // namespace

void bind_links(nb::module_& m) {
  m.def("link_loads", &link_loads, nb::arg("parameters"), nb::arg("ranks"), nb::arg("platform"),
        nb::arg("pieces") = nb::dict(), nb::arg("agreed") = false,
        "The links that carry bytes in a turn: name, kind, what it comes from and goes to, bytes, "
        "and the seconds that these take alone.");
}
