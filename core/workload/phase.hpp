// The phases of a workload: each has one name in the code, the records, the models and the reports.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace phasewise::workload {

struct Phase {
  std::string name;
  std::string pattern;    // transpose, reduce, broadcast, cross, sum, halo, …
  std::string direction;  // the ranks among which its messages go: column, row, all, …
  // Further columns of the plan, as name and word.
  std::vector<std::pair<std::string, std::string>> labels{};
};

}  // namespace phasewise::workload
