#include "spacecharge/period.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "parallel/loops.hpp"
#include "spacecharge/phases.hpp"

namespace phasewise::spacecharge {
namespace {

// Calls f(copy, own) for each plane that is a copy.
template <class F>
void for_copies(const field::BoxMesh& mesh, double* values, F&& f) {
  const int own = mesh.n[2] - planes_below - planes_above;
  const auto at = [&](int plane) { return values + plane * mesh.plane(); };
  for (int k = 0; k < planes_below; ++k) f(at(k), at(k + own));
  for (int k = planes_below + own; k < mesh.n[2]; ++k) f(at(k), at(k - own));
}

}  // namespace

void wrap(const beam::ParticleView& particles, double period, int threads) {
  const double inverse = 1.0 / period;
  parallel::for_blocks(particles.size, threads, [&](std::int64_t begin, int size, int) {
    double* __restrict z = particles.z + begin;
#pragma omp simd
    for (int i = 0; i < size; ++i) z[i] -= period * std::floor(z[i] * inverse + 0.5);
  });
}

parallel::KernelCard wrap_card() {
  return {.name = phases::wrap,
          .flops = 5.0,
          .bytes = 16.0,
          .vectorised = true,
          .touched = 8.0,
          .trip = parallel::block_size};
}

void set_period(field::BoxMesh& mesh, double period, int planes) {
  mesh.n[2] = planes + planes_below + planes_above;
  mesh.h[2] = period / planes;
  mesh.origin[2] = -0.5 * period - planes_below * mesh.h[2];
}

void fold_planes(const field::BoxMesh& mesh, double* charge) {
  for_copies(mesh, charge, [&](const double* copy, double* own) {
    for (std::int64_t i = 0; i < mesh.plane(); ++i) own[i] += copy[i];
  });
}

void repeat_planes(const field::BoxMesh& mesh, double* potential) {
  for_copies(mesh, potential,
             [&](double* copy, const double* own) { std::copy_n(own, mesh.plane(), copy); });
}

}  // namespace phasewise::spacecharge
