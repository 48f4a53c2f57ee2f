// Links that are smoothed for the quarks: stout links (Morningstar, Peardon, Phys. Rev. D 69 (2004)
// 054501).
#pragma once

#include "qcd/gauge/links.hpp"

namespace phasewise::qcd {

struct Stout {
  double weight = 0.0;  // ρ
  int steps = 0;
};

// U' = exp(A) U, with A the traceless anti-Hermitian part of ρ Σ staples · U†, eq. 1 to 3. `from`
// needs a halo of at least a plane with corners; `to` gets the sites without their halo.
void stout_step(const Links& from, double weight, int threads, Links& to);

}  // namespace phasewise::qcd
