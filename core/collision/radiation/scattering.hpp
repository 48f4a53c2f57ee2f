// Radiative Bhabha scattering of a beam's particles by the slices of the other beam.
//
// A particle that passes a slice is scattered with the chance of the slice's density per area where
// it is met, times the cross section. The density is that which kicks it: of the Gaussian, or
// -∇²u/2π of the potential on the mesh. Candidates come at the rate of the largest density and of a
// bound of the cross section, by an optical depth that is drawn once a passage; only they ask for
// the density. Of `scale` events that are drawn one is applied.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "beam/bunch.hpp"
#include "beam/coordinates.hpp"
#include "beam/streams.hpp"
#include "collision/radiation/optical_depth.hpp"
#include "collision/radiation/virtual_photons.hpp"
#include "numerics/normal.hpp"
#include "parallel/buffer.hpp"
#include "parallel/kernel.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {

class ScatteringBeam {
 public:
  // `other` is the beam that scatters; cos_phi is that of half the crossing angle.
  ScatteringBeam(const Bhabha& about, const beam::BunchConstants& bunch,
                 const beam::BunchConstants& other, double cos_phi, int ip, std::uint64_t seed,
                 int threads);

  void begin(const beam::ParticleView& particles, std::int64_t turn);
  // The particles, which are those from `first` on, meet a slice of this density; `size` is as in
  // RadiativeBhabha. At most parallel::block_size particles.
  template <class Density>
  void scatter(const beam::ParticleView& particles, std::int64_t first, const Density& density,
               double size, int thread);

  // The events of this passage on this rank, and those of them that were applied, by the place of
  // the particle.
  std::int64_t events() const;
  bool has_scattered(std::int64_t place) const;

  const RadiativeBhabha& physics() const { return physics_; }

 private:
  struct Counted {
    std::int64_t events = 0;
    std::vector<std::int64_t> places;
  };
  // Decides on a candidate at a share of the largest density; returns the share of energy that is
  // lost, 0 if none is.
  double decide(std::uint32_t id, std::uint32_t index, double accept, double density, double size,
                Counted& counted, std::int64_t place) const;

  Bhabha about_;
  RadiativeBhabha physics_;
  std::uint64_t seed_;
  std::uint32_t index_;
  int threads_;
  std::uint64_t turn_ = 0;
  parallel::Buffer<double> depth_;
  parallel::Buffer<std::uint16_t> drawn_;
  std::vector<Counted> counted_;  // of each thread
};

template <class Density>
void ScatteringBeam::scatter(const beam::ParticleView& p, std::int64_t first,
                             const Density& density, double size, int thread) {
  if (!density.any()) return;
  const int n = static_cast<int>(p.size);
  double* depth = depth_.data() + first;
  const double rate = about_.scale * physics_.bound();
  double least = 0.0;
#pragma omp simd reduction(min : least)
  for (int i = 0; i < n; ++i) {
    const double left = depth[i] - rate * density.largest(p, i);
    depth[i] = left;
    least = left < least ? left : least;
  }
  if (least >= 0.0) return;
  for (int i = 0; i < n; ++i)
    while (depth[i] < 0.0) {
      std::uint16_t& drawn = drawn_[first + i];
      if (drawn == passage_draws - 1) {
        depth[i] = std::numeric_limits<double>::infinity();
        break;
      }
      const std::uint32_t index = index_ | ++drawn;
      double next, accept;
      numerics::uniform_pair(seed_, p.id[i], turn_, beam::streams::scattering_depth, index, next,
                             accept);
      const double here = density.at(p, i) / density.largest(p, i);
      const double share = decide(p.id[i], index, accept, here, size, counted_[thread], first + i);
      p.px[i] *= 1.0 - share;
      p.py[i] *= 1.0 - share;
      p.delta[i] -= share * (1.0 + p.delta[i]);
      depth[i] -= numerics::log_positive(next);
    }
}

}  // namespace phasewise::collision
