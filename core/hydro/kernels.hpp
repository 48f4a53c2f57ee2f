// Cards of the kernels. One item of a sweep's kernel is a zone of a pencil.
#pragma once

#include "hydro/sweep.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::hydro {

// What the cards of a sweep depend on.
struct SweepShape {
  Geometry geometry = Geometry::planar;
  int zones = 1;       // of a pencil
  int velocities = 3;  // that move: one that is zero everywhere takes no time
  int batch = 1;       // pencils swept at once
  Kernel kernel = Kernel::fast;
  Riemann riemann = Riemann::newton_8;
  double newton_steps = 8.0;  // mean, with `converged`
};

SweepShape sweep_shape(const SweepSetting& setting, int direction);

// The loops of a sweep, in order: they take pencils into the batch, make parabolas of density,
// pressure and velocity and their averages, solve Riemann's problem, move the zones, and remap them
// onto the grid and out of the batch.
parallel::KernelCard load_card(const SweepShape& shape);
parallel::KernelCard ppm_card(const SweepShape& shape);
parallel::KernelCard riemann_card(const SweepShape& shape);
parallel::KernelCard lagrange_card(const SweepShape& shape);
parallel::KernelCard remap_card(const SweepShape& shape);
// The sweep as one kernel, as it runs here: the sum of its loops.
parallel::KernelCard sweep_card(const SweepShape& shape);
// Scalar work between the loops. One item is a pencil with `plain`, a batch with `fast`.
parallel::KernelCard between_loops_card();

// One item is a zone.
parallel::KernelCard courant_card(const Grid& grid);
parallel::KernelCard diagnose_card(const Grid& grid);

}  // namespace phasewise::hydro
