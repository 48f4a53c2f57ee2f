// One stage of the integrator of the gradient flow (M. Lüscher, JHEP 08 (2010) 071, appendix C):
// with K = 0 before the first of three stages,
//   K ← a Z(V) - b K,  V ← exp(c ε K) V,
// where Z(V) is the traceless anti-Hermitian part of the sum of staples times V†, which is minus
// the derivative of Wilson's action times g².
#pragma once

#include <array>
#include <vector>

#include "parallel/kernel.hpp"
#include "qcd/gauge/lane_matrices.hpp"

namespace phasewise::qcd {

struct FlowStage {
  double a, b, c;
};
inline constexpr std::array<FlowStage, 3> flow_stages{
    {{1.0, 0.0, 0.25}, {8.0 / 9.0, 17.0 / 36.0, 1.0}, {0.75, 1.0, 1.0}}};

// The numbers of a traceless anti-Hermitian matrix: two of its diagonal, and three above it.
inline constexpr int algebra_reals = 8;

// Of one stage; an item is a site with its four links, which are copied into vectors before. The
// links of neighbours are found in a cache again.
parallel::KernelCard flow_card();

// `to` gets the sites without their halo; `from` needs a halo of a plane with its corners. `k` has
// algebra_reals for each own link, [own vector][axis][real][lane].
void flow_stage(const FlowStage& stage, double step, const LaneMatrices& from, int threads,
                std::vector<double>& k, Links& to);

}  // namespace phasewise::qcd
