// What is measured along the gradient flow, from the four leaves around each site (leaves.hpp):
// the energy density E = -Σ_µ<ν tr F F, its parts with and without t, the topological charge
//   Q = -1/(4π²) Σ_x tr(F_xy F_zt - F_xz F_yt + F_xt F_yz),
// F without its trace, and the plaquette.
#pragma once

#include <array>
#include <vector>

#include "parallel/kernel.hpp"
#include "qcd/gauge/lane_matrices.hpp"
#include "workload/exact_sum.hpp"

namespace phasewise::qcd {

struct FlowValues {
  double energy_space = 0.0, energy_time = 0.0;  // of a site, lattice units
  double charge = 0.0;
  double plaquette = 0.0;  // 1 for unit matrices

  double energy() const { return energy_space + energy_time; }
};

inline constexpr int flow_values = 4;
using FlowSums = std::array<workload::Parts, flow_values>;

// An item is a site.
parallel::KernelCard flow_measures_card();

// What this rank's sites add. The links need a halo of one plane with its corners.
FlowSums flow_sums(const LaneMatrices& links, const Domain& domain, int threads);
// From the sums over a lattice of this size.
FlowValues values_of(const FlowSums& sums, const Extents& size);

}  // namespace phasewise::qcd
