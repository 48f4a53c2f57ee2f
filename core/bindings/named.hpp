// The values of an enumeration by their names.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace phasewise::bindings {

template <class T>
using Names = std::vector<std::pair<std::string, T>>;

template <class T>
T named(const std::string& what, const std::string& name, const Names<T>& names) {
  std::string known;
  for (const auto& [candidate, value] : names) {
    if (candidate == name) return value;
    known += (known.empty() ? "" : ", ") + candidate;
  }
  throw std::invalid_argument("there is no " + what + " '" + name + "': give one of " + known);
}

}  // namespace phasewise::bindings
