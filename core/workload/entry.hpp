// A registered workload: how the driver plans and starts it, alone or as a part of a composite.
#pragma once

#include <memory>
#include <utility>

#include "workload/run.hpp"
#include "workload/workload.hpp"

namespace phasewise::workload {

struct Entry {
  bool on_device = false;  // whether it has kernels for a device
  std::unique_ptr<Workload> (*plan)(const Parameters& parameters, Nodes nodes) = nullptr;
  // Plans it as a guest in a composite; null if it cannot be a guest. `nodes` are the nodes of the
  // ranks that hold the bunch.
  std::unique_ptr<Workload> (*plan_guest)(const Parameters& parameters, Nodes nodes,
                                          const Host& host) = nullptr;
  // Starts a study planned by one of these two, on the ranks of the session.
  std::unique_ptr<Run> (*start)(const std::shared_ptr<const Workload>& study,
                                std::unique_ptr<Session> session) = nullptr;
};

// The entry of a workload whose plan is a Study and whose run is a Started.
template <class Study, class Started>
Entry entry_for() {
  return {.plan = [](const Parameters& parameters, Nodes nodes) -> std::unique_ptr<Workload> {
            return std::make_unique<Study>(parameters, std::move(nodes));
          },
          .start = [](const std::shared_ptr<const Workload>& study,
                      std::unique_ptr<Session> session) -> std::unique_ptr<Run> {
            return std::make_unique<Started>(std::static_pointer_cast<const Study>(study),
                                             std::move(session));
          }};
}

// The same for a workload that can also be a guest.
template <class Study, class Started>
Entry entry_for_guest() {
  Entry entry = entry_for<Study, Started>();
  entry.plan_guest = [](const Parameters& parameters, Nodes nodes,
                        const Host& host) -> std::unique_ptr<Workload> {
    return std::make_unique<Study>(parameters, std::move(nodes), host);
  };
  return entry;
}

}  // namespace phasewise::workload
