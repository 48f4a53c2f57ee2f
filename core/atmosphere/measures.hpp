// What is recorded of a timestep: means over the sphere that are the same on any number of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "atmosphere/column.hpp"
#include "atmosphere/planet.hpp"
#include "workload/bounded_sums.hpp"
#include "workload/listener.hpp"
#include "workload/value.hpp"

namespace phasewise::atmosphere {

// A column that cannot go on, on the rank that computed it.
struct FailedColumn {
  std::int64_t column;
  std::string what;
};

class Measures {
 public:
  // The planet must outlive it.
  Measures(const Planet& planet, exchange::TeamPointer team);

  // `memory` has this rank's own columns first; null without data. Throws std::runtime_error, the
  // same on all ranks, if a column of any rank failed.
  void measure(workload::Listener& listener, const double* memory,
               const std::optional<FailedColumn>& failed);
  std::vector<workload::Value> record() const;
  double temperature() const { return means_[temperature_mean]; }

 private:
  static constexpr int temperature_mean = 0, surface_temperature_mean = 1, water_mean = 2,
                       first_result = 3, failures = first_result + result::count,
                       sums = failures + 1;
  using Terms = std::array<double, sums>;

  Terms terms_of(const double* column) const;
  workload::PartialSums<sums> part(const double* memory, const workload::Bounds<sums>& bounds,
                                   bool failed) const;
  [[noreturn]] void fail(workload::Listener& listener,
                         const std::optional<FailedColumn>& failed) const;

  const Planet& planet_;
  exchange::TeamPointer team_;
  Terms most_{};  // magnitudes of the terms before they have their share
  Terms means_{};
};

}  // namespace phasewise::atmosphere
