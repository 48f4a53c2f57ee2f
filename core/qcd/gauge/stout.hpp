// Links that are smoothed for the quarks: stout links (Morningstar, Peardon, Phys. Rev. D 69 (2004)
// 054501).
#pragma once

#include "parallel/kernel.hpp"
#include "qcd/gauge/links.hpp"

namespace phasewise::qcd {

struct Stout {
  double weight = 0.0;  // ρ
  int steps = 0;
};

// Of a step; an item is a site with its four links, which are copied into vectors before.
parallel::KernelCard stout_card();

// U' = exp(A) U, with A the traceless anti-Hermitian part of ρ Σ staples · U†, eq. 1 to 3. `from`
// needs a halo of at least a plane with corners; `to` gets the sites without their halo.
// `lanes` is 1 or what with_lanes takes.
void stout_step(const Links& from, double weight, int threads, int lanes, Links& to);

}  // namespace phasewise::qcd
