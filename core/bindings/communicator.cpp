// Communication of the run loop: this rank's number, gather and broadcast of bytes, agreement, and
// the abort of all ranks.
#include "comm/communicator.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

namespace nb = nanobind;

namespace {

using phasewise::comm::Communicator;
using phasewise::comm::Recorder;

// The run loop's own exchanges are not part of any simulation's record.
const Communicator& world() {
  static Recorder recorder;
  static const Communicator all = Communicator::world(recorder);
  return all;
}

std::span<const std::byte> as_span(const nb::bytes& data) {
  return {reinterpret_cast<const std::byte*>(data.c_str()), data.size()};
}

nb::bytes as_bytes(const std::vector<std::byte>& data) {
  return nb::bytes(reinterpret_cast<const char*>(data.data()), data.size());
}

nb::list gather(const nb::bytes& mine) {
  nb::list result;
  for (const auto& part : world().gather("records", as_span(mine))) result.append(as_bytes(part));
  return result;
}

bool any(bool flag) {
  double value[1] = {flag ? 1.0 : 0.0};
  world().max("records", value);
  return value[0] > 0.0;
}

}  // namespace

void bind_communicator(nb::module_& m) {
  m.def(
      "rank", [] { return world().rank(); }, "This process's rank.");
  m.def(
      "size", [] { return world().size(); }, "Number of processes of the run.");
  m.def("gather", &gather, nb::arg("data"),
        "The bytes of all ranks, in order, as a list on rank 0; an empty list elsewhere. "
        "Collective.");
  m.def(
      "broadcast",
      [](const nb::bytes& data) { return as_bytes(world().broadcast("records", as_span(data))); },
      nb::arg("data"), "The bytes of rank 0, on every rank. Collective.");
  m.def("current_phase", &Recorder::latest_phase,
        "The phase that this rank is in, or failed in; empty outside of phases.");
  m.def(
      "barrier", [] { world().barrier(); }, "Waits for all ranks.");
  m.def("any", &any, nb::arg("flag"), "Whether the flag is set on any rank. Collective.");
  m.def(
      "abort", [](int status) { phasewise::comm::abort_all(status); }, nb::arg("status"),
      "Ends all ranks at once.");
  m.def(
      "mpi_version",
      [] {
        world();
        return phasewise::comm::library_version();
      },
      "The MPI library in use.");
  m.def("mpi_built_with", &phasewise::comm::built_with_version,
        "The MPI library that this build was made with.");
}
