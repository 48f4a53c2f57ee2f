// A registered workload: its name, and how the driver plans and starts it.
#pragma once

#include <memory>
#include <string_view>

#include "workload/run.hpp"
#include "workload/workload.hpp"

namespace phasewise::workload {

struct Entry {
  std::string_view name;
  std::unique_ptr<Workload> (*plan)(const Parameters& parameters, Nodes nodes);
  std::unique_ptr<Run> (*start)(const Parameters& parameters, std::unique_ptr<Session> session);
};

}  // namespace phasewise::workload
