// One line for each workload. In the Python module this file is compiled once more, and the same
// lines then name the bindings.
#define PHASEWISE_WORKLOADS(line) line(collision) line(halo) line(spacecharge)

#if defined(PHASEWISE_BINDINGS)

#include <nanobind/nanobind.h>

#define DECLARE(name)                   \
  namespace phasewise::name {           \
  void bind(nanobind::module_& module); \
  }
PHASEWISE_WORKLOADS(DECLARE)

void bind_workloads(nanobind::module_& module) {
#define BIND(name) phasewise::name::bind(module);
  PHASEWISE_WORKLOADS(BIND)
}

#else

#include <stdexcept>
#include <string>
#include <vector>

#include "driver/workloads.hpp"
#include "workload/entry.hpp"

#define DECLARE(name)         \
  namespace phasewise::name { \
  workload::Entry entry();    \
  }
PHASEWISE_WORKLOADS(DECLARE)

namespace phasewise::driver {
namespace {

#define NAME(name) #name,
#define ENTRY(name) name::entry(),

workload::Entry entry_of(const workload::Parameters& parameters) {
  const workload::Entry entries[] = {PHASEWISE_WORKLOADS(ENTRY)};
  return entries[parameters.choice("workload", {PHASEWISE_WORKLOADS(NAME)})];
}

}  // namespace

std::unique_ptr<workload::Workload> plan_study(const workload::Parameters& parameters, int ranks,
                                               int node_size) {
  if (ranks < 1) throw std::invalid_argument("give one rank or more");
  workload::Nodes nodes(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) nodes[rank] = rank / std::max(1, node_size);
  return entry_of(parameters).plan(parameters, workload::chosen_nodes(parameters, nodes));
}

std::unique_ptr<workload::Run> start_study(const workload::Parameters& parameters, int threads) {
  const workload::Entry entry = entry_of(parameters);
  auto run = entry.start(parameters, std::make_unique<workload::Session>(parameters, threads));
  parameters.check_all_used();
  return run;
}

}  // namespace phasewise::driver

#endif
