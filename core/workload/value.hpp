// A number or an array with a name, as a run records it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace phasewise::workload {

// An array is stored row by row.
struct Value {
  std::string name;
  std::vector<std::size_t> shape;  // empty: a number
  std::vector<double> values;
};

}  // namespace phasewise::workload
