// The phases of a workload: each has one name in the code, the records, the models and the reports.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasewise::workload {

struct Phase {
  std::string name{};
  std::string pattern{};    // transpose, reduce, broadcast, sum, …
  std::string direction{};  // the ranks among which its messages go: column, row, all, …
  // Further columns of the plan, as name and word.
  std::vector<std::pair<std::string, std::string>> labels{};
  // Whether the phase does the workload's own exchange. Tables show such phases first, and
  // `exchange_seconds` of a prediction or a run is their time.
  bool main = false;
  // The colour #rrggbb of a phase that looks the same in all pictures; empty: pictures choose it.
  std::string colour{};
};

// A phase that does the workload's own exchange.
inline Phase main_phase(std::string_view name, const char* pattern, const char* direction,
                        const char* colour = "") {
  return {std::string(name), pattern, direction, {}, true, colour};
}

// The phase with this name; throws std::logic_error if a workload's table lacks it.
inline const Phase& phase_named(const std::vector<Phase>& phases, std::string_view name) {
  for (const Phase& phase : phases)
    if (phase.name == name) return phase;
  throw std::logic_error("the workload's table of phases lacks '" + std::string(name) + "'");
}

}  // namespace phasewise::workload
