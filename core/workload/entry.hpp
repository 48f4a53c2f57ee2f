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
  std::unique_ptr<Run> (*start)(const Parameters& parameters,
                                std::unique_ptr<Session> session) = nullptr;
  // As a guest in a composite; null if it cannot be one. `nodes` and session are those of the ranks
  // that hold the bunch.
  std::unique_ptr<Workload> (*plan_guest)(const Parameters& parameters, Nodes nodes,
                                          const Host& host) = nullptr;
  std::unique_ptr<Run> (*start_guest)(const Parameters& parameters,
                                      std::unique_ptr<Session> session, const Host& host) = nullptr;
};

// The entry of a workload that is planned as a Planned and run as a Started.
template <class Planned, class Started>
Entry entry_for() {
  return {.plan = [](const Parameters& parameters, Nodes nodes) -> std::unique_ptr<Workload> {
            return std::make_unique<Planned>(parameters, std::move(nodes));
          },
          .start = [](const Parameters& parameters,
                      std::unique_ptr<Session> session) -> std::unique_ptr<Run> {
            return std::make_unique<Started>(parameters, std::move(session));
          }};
}

// Likewise of one that can be a guest too.
template <class Planned, class Started>
Entry entry_for_guest() {
  Entry entry = entry_for<Planned, Started>();
  entry.plan_guest = [](const Parameters& parameters, Nodes nodes,
                        const Host& host) -> std::unique_ptr<Workload> {
    return std::make_unique<Planned>(parameters, std::move(nodes), host);
  };
  entry.start_guest = [](const Parameters& parameters, std::unique_ptr<Session> session,
                         const Host& host) -> std::unique_ptr<Run> {
    return std::make_unique<Started>(parameters, std::move(session), host);
  };
  return entry;
}

}  // namespace phasewise::workload
