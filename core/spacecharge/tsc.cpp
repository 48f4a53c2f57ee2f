#include "spacecharge/tsc.hpp"

#include <algorithm>

#include "field/box_tsc.hpp"
#include "parallel/loops.hpp"
#include "spacecharge/phases.hpp"

namespace phasewise::spacecharge {

std::int64_t deposit_tsc(const beam::ParticleView& particles, const field::BoxMesh& mesh,
                         double quantum, double* charge) {
  const field::BoxFrame frame(mesh);
  const double offset = numerics::rounding_offset_for(quantum);
  std::int64_t outside = 0;
  std::fill_n(charge, mesh.nodes(), 0.0);
  for (std::int64_t i = 0; i < particles.size; ++i) {
    const field::BoxPlace place =
        field::nearest_place(frame, particles.x[i], particles.y[i], particles.z[i]);
    double w[27];
    field::tsc_charge(place, offset, w);
    outside += place.inside == 0.0;
    double* lowest = charge + place.node - mesh.plane() - frame.ny - 1;
    for (int row = 0; row < 9; ++row) {
      double* at = lowest + row / 3 * mesh.plane() + row % 3 * frame.ny;
      for (int k = 0; k < 3; ++k) at[k] += w[3 * row + k];
    }
  }
  return outside;
}

void kick_tsc(const beam::ParticleView& particles, const field::BoxMesh& mesh,
              const double* potential, double factor, double along, int threads) {
  const field::BoxFrame frame(mesh);
  parallel::for_blocks(particles.size, threads, [&](std::int64_t begin, int size, int) {
    const beam::ParticleView p = particles.part(begin, size);
    for (int i = 0; i < size; ++i) {
      const field::BoxPlace place = field::nearest_place(frame, p.x[i], p.y[i], p.z[i]);
      const field::BoxField e = field::tsc_field(potential, frame.nx, frame.ny, place);
      p.px[i] += factor * frame.inverse_hx * e.ex;
      p.py[i] += factor * frame.inverse_hy * e.ey;
      p.delta[i] += along * frame.inverse_hz * e.ez;
    }
  });
}

parallel::KernelCard deposit_tsc_card(double nodes_each) {
  return {.name = phases::charge_local,
          .flops = 190.0,  // 22 for the place, 140 for the weights, 27 additions
          .bytes = 24.0 + 432.0 + 8.0 * nodes_each,  // 27 nodes are read and written
          .vectorised = false,
          .touched = 24.0 + 8.0 * nodes_each};
}

parallel::KernelCard kick_tsc_card(double nodes_each) {
  return {.name = phases::kick,
          .flops = 660.0,          // 22 for the place, 60 for weights, 20 for each of 25 rows, sums
          .bytes = 72.0 + 1000.0,  // 24 for the place, momenta read and written; 125 nodes
          .vectorised = true,      // over nodes
          .touched = 48.0 + 8.0 * nodes_each,
          .trip = 4.0,
          .loops = 25.0};
}

}  // namespace phasewise::spacecharge
