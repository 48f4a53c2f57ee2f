// What is recorded of a timestep: sums that are the same on any number of ranks, and extremes.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "numerics/long_accumulator.hpp"
#include "ocean/domain.hpp"
#include "ocean/fields.hpp"
#include "ocean/kernels.hpp"
#include "workload/global_sum.hpp"
#include "workload/listener.hpp"
#include "workload/value.hpp"

namespace phasewise::ocean {

struct Measured {
  double volume = 0.0;          // m³
  double heat = 0.0;            // mean temperature, °C
  double salt = 0.0;            // mean salinity, psu
  double kinetic_energy = 0.0;  // J
  double speed = 0.0;           // the largest, m/s
  double surface = 0.0;         // the largest height above or below rest, m
  double courant = 0.0;         // cells that the fastest water crosses in a timestep
};

class Measures {
 public:
  // Domain, terms and nodes must outlive it.
  Measures(const Domain& domain, const Terms& terms, const std::vector<int>& nodes,
           const exchange::TeamPointer& team, int threads);

  exchange::Exchanges exchanges() const { return sum_.exchanges(); }
  void measure(workload::Listener& listener, const CardShape& shape, const Fields& fields);
  const Measured& measured() const { return measured_; }
  std::vector<workload::Value> record() const;

 private:
  static constexpr int volume = 0, heat = 1, salt = 2, energy = 3, sums = 4;
  static constexpr int speed = 0, surface = 1, courant = 2, extremes = 3;
  // Of the rows of a thread.
  struct Part {
    std::array<numerics::LongAccumulator, sums> sum;
    std::array<double, extremes> extreme{};
    parallel::Buffer<double> terms;  // [sums + extremes][pitch]
  };
  void add_row(const Fields& fields, const RowPlace& row, Part& part) const;

  const Domain& domain_;
  const Terms& terms_;
  exchange::TeamPointer team_;
  int threads_;
  workload::GlobalSum sum_;
  std::vector<Part> parts_;
  Measured measured_;
};

}  // namespace phasewise::ocean
