// What is measured between the sweeps of two timesteps: the fastest crossing of a zone, integrals
// over the grid, and the error of the density where a solution is known.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hydro/courant.hpp"
#include "hydro/description.hpp"
#include "hydro/division.hpp"
#include "hydro/exact.hpp"
#include "numerics/long_accumulator.hpp"
#include "parallel/buffer.hpp"
#include "workload/global_sum.hpp"
#include "workload/value.hpp"
#include "workload/workload.hpp"

namespace phasewise::hydro {

// A rank's zones: six arrays of its box.
struct Zones {
  Box box;
  double* values = nullptr;  // null without contents

  std::int64_t rows() const { return box.size(1) * box.size(2); }
  Row row(std::int64_t number) const;
};

struct Measured {
  double inverse_timestep = 0.0;  // the largest max(c, |u|)/Δx of all zones; inf if one has none
  double mach = 0.0;
  std::array<double, RowKernels::quantities> integrals{};
  double newton_steps = 0.0;             // mean of an interface in the timestep
  std::int64_t collapsed = 0;            // zones, on all ranks
  std::array<std::int64_t, 2> floors{};  // of density and of pressure, so far
  double l1 = 0.0;                       // of the density; nan where it was not compared
};

// A number as messages show it.
std::string shown(double value);

class Measures {
 public:
  // The description and the nodes must outlive the object.
  Measures(const Description& description, const workload::Nodes& nodes,
           const exchange::TeamPointer& team, int threads);

  // Sums by `put` are prepared by all ranks together.
  exchange::Exchanges exchanges() const;
  // Sums by this algorithm from now on.
  void sum_by(exchange::SumAlgorithm algorithm);

  // The largest rate and Mach number: phase `courant`.
  void find_fastest(workload::Listener& listener, const Zones& zones);
  // The same after a timestep, and the integrals, with what the sweeps counted: phase `invariants`.
  void measure(workload::Listener& listener, const Zones& zones, const Tally& tally);
  // Phase `norms`.
  void compare(workload::Listener& listener, const Zones& zones, double time);
  // Throws std::runtime_error, the same on all ranks, that says which zone is the fastest or, if
  // this rank's tally has some, collapsed. Collective.
  [[noreturn]] void fail(workload::Listener& listener, const Zones& zones, const Tally& tally,
                         const std::string& what) const;

  const Measured& measured() const { return measured_; }
  void set_floors(const std::array<std::int64_t, 2>& floors) { measured_.floors = floors; }
  std::vector<workload::Value> record() const;

 private:
  using Accumulator = numerics::LongAccumulator;
  // What a thread has found.
  struct Part {
    double rate = 0.0, mach = 0.0;
    std::int64_t fastest_row = -1;
    std::array<Accumulator, RowKernels::quantities> integrals;
    Accumulator error;
    parallel::Buffer<double> terms;  // [quantity][zone], of the rows that are taken together
  };
  // Calls f(part, first row, last row) for the rows that are taken together.
  template <class F>
  void for_rows(const Zones& zones, F&& f);
  void find_rates(const Zones& zones);
  void integrate(const Zones& zones);
  void add_errors(const Zones& zones, double time);
  // The part with the largest rate.
  const Part& fastest() const;
  void share_fastest(workload::Listener& listener);

  const Description& description_;
  const workload::Nodes& nodes_;
  exchange::TeamPointer team_;
  int threads_;
  RowKernels kernels_;
  std::vector<Part> parts_;  // of each thread
  std::unique_ptr<workload::GlobalSum> invariants_, norms_;
  double volume_ = 0.0;  // of the grid
  Measured measured_;
};

}  // namespace phasewise::hydro
