// The workloads, a line for each. The Python module compiles this file once more, and the same
// words then name the bindings of the workloads that have any.
// clang-format off
#define PHASEWISE_WORKLOADS(line) \
  line(atmosphere) \
  line(collectives) \
  line(collision) \
  line(commtest) \
  line(halo) \
  line(hydro) \
  line(kernels) \
  line(ocean) \
  line(qcd) \
  line(recorded) \
  line(spacecharge) \
  line(sphere)
// clang-format on

#if defined(PHASEWISE_BINDINGS)

#include <nanobind/nanobind.h>

// Weak, so that it is null where no source of a workload defines it.
#define DECLARE(name)                                         \
  namespace phasewise::name {                                 \
  __attribute__((weak)) void bind(nanobind::module_& module); \
  }
PHASEWISE_WORKLOADS(DECLARE)

void bind_workloads(nanobind::module_& module) {
#define BIND(name) \
  if (phasewise::name::bind != nullptr) phasewise::name::bind(module);
  PHASEWISE_WORKLOADS(BIND)
}

#else

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "driver/composite_run.hpp"
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

// The workloads that a study names, in its order.
std::vector<NamedEntry> ring_of(const workload::Parameters& parameters) {
  const std::vector<std::string> names = {PHASEWISE_WORKLOADS(NAME)};
  const workload::Entry entries[] = {PHASEWISE_WORKLOADS(ENTRY)};
  std::vector<NamedEntry> ring;
  for (const std::string& name : parameters.words("workload")) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      std::string accepted;
      for (const std::string& one : names) accepted += (accepted.empty() ? "" : ", ") + one;
      parameters.fail("workload", "accepted are " + accepted);
    }
    if (std::ranges::find(ring, name, &NamedEntry::name) != ring.end())
      parameters.fail("workload", name + " is given twice");
    ring.push_back({name, entries[found - names.begin()]});
  }
  return ring;
}

// Throws if the study asks for a device and no workload of the ring has kernels for one.
void check_device(const workload::Parameters& parameters, workload::Device device,
                  const std::vector<NamedEntry>& ring) {
  if (device == workload::Device::cpu || (ring.size() == 1 && ring.front().entry.on_device)) return;
  parameters.fail("run.device", ring.size() > 1
                                    ? "several workloads in one ring run only on the CPU"
                                    : "the workload " + ring.front().name +
                                          " has no kernels for a device; collision has");
}

// Every study has these keys, whether or not its workloads read them.
void read_own_keys(const workload::Parameters& parameters) {
  for (const char* key : {"seed", "turns"}) parameters.integer(key);
}

}  // namespace

std::unique_ptr<workload::Workload> plan_study(const workload::Parameters& parameters, int ranks,
                                               int node_size) {
  if (ranks < 1) throw std::invalid_argument("give one rank or more");
  workload::Nodes nodes(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) nodes[rank] = rank / std::max(1, node_size);
  const std::vector<NamedEntry> ring = ring_of(parameters);
  nodes = workload::chosen_nodes(parameters, std::move(nodes));
  check_device(parameters, workload::chosen_device(parameters), ring);
  workload::chosen_device_buffers(parameters);
  read_own_keys(parameters);
  if (ring.size() > 1) return std::make_unique<Composite>(parameters, std::move(nodes), ring);
  return ring.front().entry.plan(parameters, std::move(nodes));
}

std::unique_ptr<workload::Run> start_study(const workload::Parameters& parameters, int threads) {
  const std::vector<NamedEntry> ring = ring_of(parameters);
  auto session = std::make_unique<workload::Session>(parameters, threads);
  check_device(parameters, session->device, ring);
  read_own_keys(parameters);
  std::unique_ptr<workload::Run> run;
  if (ring.size() > 1) {
    const auto study = std::make_shared<const Composite>(parameters, session->nodes, ring);
    run = std::make_unique<CompositeRun>(study, parameters, std::move(session));
  } else {
    const workload::Entry& entry = ring.front().entry;
    const std::shared_ptr<const workload::Workload> study = entry.plan(parameters, session->nodes);
    run = entry.start(study, std::move(session));
  }
  parameters.check_all_used();
  return run;
}

}  // namespace phasewise::driver

#endif
