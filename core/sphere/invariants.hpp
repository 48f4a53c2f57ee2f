// What is measured after a timestep: the integral invariants of each level, the errors where a
// solution is known (Williamson et al., J. Comput. Phys. 102 (1992) 211, Eqs. 82 to 84 for norms),
// and the height of the surface at the stations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numerics/long_accumulator.hpp"
#include "parallel/kernel.hpp"
#include "sphere/cases.hpp"
#include "sphere/grid_fields.hpp"
#include "workload/global_sum.hpp"
#include "workload/value.hpp"
#include "workload/workload.hpp"

namespace phasewise::sphere {

struct Measured {
  // Means over the sphere: depth [m], energy of a unit of area over the density [m³/s²], and
  // potential enstrophy [1/(m s²)]; relative errors of the depth.
  std::vector<double> mass, energy, enstrophy, l1, l2, linf;  // of each level
  std::vector<double> stations;                               // [station][level], m
};

// One item is a point of the grid at a level.
parallel::KernelCard diagnose_card();

class Invariants {
 public:
  // The description, the nodes, the latitudes and the case must outlive the object; the case is
  // null without contents.
  Invariants(const Description& description, const workload::Nodes& nodes,
             const exchange::TeamPointer& team, const GaussianPairs& latitudes,
             const TestCase* test);

  // Sums by `put` are prepared by all ranks together.
  exchange::Exchanges exchanges() const { return sum_.exchanges(); }
  void measure(workload::Listener& listener, const GridFields& fields,
               const std::vector<double>& mean_geopotential, double time, int threads);
  const Measured& measured() const { return measured_; }
  void keep(const Measured& measured) { measured_ = measured; }
  std::vector<workload::Value> record() const;

 private:
  // The terms of a row of points at one level.
  struct Terms {
    double mass = 0.0, energy = 0.0, enstrophy = 0.0;
    double error = 0.0, square = 0.0, truth = 0.0, truth_square = 0.0;
    double largest_error = 0.0, largest = 0.0;
  };
  Terms terms_of(const GridFields& fields, int pair, int level, double mean, double time) const;
  void take(std::span<const double> sums, int level);
  void measure_stations(workload::Listener& listener, const GridFields& fields,
                        const std::vector<double>& mean_geopotential);

  const Description& description_;
  const exchange::TeamPointer team_;
  const GaussianPairs& latitudes_;
  const TestCase* test_;
  int sums_;
  workload::GlobalSum sum_;
  Measured measured_;
};

}  // namespace phasewise::sphere
