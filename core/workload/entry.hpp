// A registered workload: how the driver plans and starts it.
#pragma once

#include <memory>
#include <utility>

#include "workload/run.hpp"
#include "workload/workload.hpp"

namespace phasewise::workload {

struct Entry {
  std::unique_ptr<Workload> (*plan)(const Parameters& parameters, Nodes nodes);
  std::unique_ptr<Run> (*start)(const Parameters& parameters, std::unique_ptr<Session> session);
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

}  // namespace phasewise::workload
