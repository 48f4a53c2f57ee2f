// How a turn checks every value that arrived: it counts the wrong values, and adds all values up,
// so that runs that exchange in different ways can be compared.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/listener.hpp"
#include "workload/phase.hpp"
#include "workload/value.hpp"

namespace phasewise::workload {

// The phase in which the ranks agree on whether everything that arrived is right.
inline constexpr std::string_view checks = "checks";

class Checks {
 public:
  // A double holds every integer up to this one.
  static constexpr std::int64_t exact = std::int64_t{1} << 53;

  void clear() { sums_ = {}; }
  // Adds the number of wrong values among those checked, and the sum of these values.
  void add(std::int64_t wrong, std::int64_t sum) {
    sums_[0] += wrong;
    sums_[1] = (sums_[1] + sum) % exact;
  }
  // Adds up what all ranks have found, in the phase `checks`.
  void sum(Listener& listener) {
    listener.sum(checks, sums_);
    sums_[1] %= exact;
  }
  static Phase phase() { return {std::string(checks), "sum", "all"}; }
  // The number of wrong values, and the sum of all values modulo 2^53.
  std::vector<Value> record() const {
    return {{"wrong", {}, {static_cast<double>(sums_[0])}},
            {"checksum", {}, {static_cast<double>(sums_[1])}}};
  }

 private:
  std::array<std::int64_t, 2> sums_{};
};

}  // namespace phasewise::workload
