#include "collision/radiation/beamstrahlung.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "beam/streams.hpp"
#include "collision/radiation/constants.hpp"
#include "collision/radiation/optical_depth.hpp"
#include "numerics/normal.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

namespace streams = beam::streams;
using beam::ParticleView;

// Nobody loses more than this share of the energy in an encounter on average.
constexpr double largest_mean = 0.99;

}  // namespace

RadiatingBeam::RadiatingBeam(Beamstrahlung kind, const beam::BunchConstants& bunch, double cos_phi,
                             int ip, std::uint64_t seed, int threads)
    : kind_(kind),
      spectrum_(PhotonSpectrum::instance()),
      seed_(seed),
      index_(passage_index(bunch.number, ip)),
      threads_(threads),
      scale_(PhotonTally::scale_for(static_cast<double>(bunch.macroparticles))),
      gamma_(bunch.gamma() * cos_phi) {
  const double charge2 = bunch.charge * bunch.charge, radius = bunch.classical_radius();
  rate_ = 2.5 / std::numbers::sqrt3 * fine_structure * charge2 * gamma_;
  upsilon_ = 2.0 * gamma_ * gamma_ * radius / fine_structure;
  // The mean of u per length is (2/3) r γ³/ρ², and the integral of ds/ρ² is 2θ² ∫g² dz'.
  mean_share_ = 4.0 / 3.0 * radius * charge2 * gamma_ * gamma_ * gamma_;
  tallies_.resize(threads, PhotonTally(scale_));
}

void RadiatingBeam::begin(const ParticleView& particles, std::int64_t turn,
                          const SliceDensity& opposing) {
  turn_ = static_cast<std::uint64_t>(turn);
  opposing_ = &opposing;
  for (PhotonTally& tally : tallies_) tally.clear();
  if (kind_ == Beamstrahlung::mean) {
    means_.clear();
    for (int s = 0; s < opposing.slices(); ++s)
      means_.push_back(opposing.bends(s) ? opposing.means(s) : SliceDensity::Means{});
    return;
  }
  depth_.reserve(particles.size);
  drawn_.reserve(particles.size);
  draw_depths(particles, seed_, turn_, streams::photon_depth, index_, threads_, depth_.data(),
              drawn_.data());
}

void RadiatingBeam::radiate(const ParticleView& particles, std::int64_t first, int slice,
                            const double* kick, int thread) {
  if (!opposing_->bends(slice)) return;
  if (kind_ == Beamstrahlung::mean)
    radiate_mean(particles, slice, kick, tallies_[thread]);
  else
    radiate_quanta(particles, first, slice, kick, tallies_[thread]);
}

void RadiatingBeam::radiate_quanta(const ParticleView& p, std::int64_t first, int slice,
                                   const double* kick, PhotonTally& tally) {
  const int n = static_cast<int>(p.size);
  double* depth = depth_.data() + first;
  const double rate = rate_;
  double least = 0.0;
#pragma omp simd reduction(min : least)
  for (int i = 0; i < n; ++i) {
    const double kx = kick[2 * i], ky = kick[2 * i + 1];
    const double left = depth[i] - rate * std::sqrt(kx * kx + ky * ky);
    depth[i] = left;
    least = left < least ? left : least;
  }
  if (least >= 0.0) return;
  for (int i = 0; i < n; ++i)
    if (depth[i] < 0.0) {
      const double kx = kick[2 * i], ky = kick[2 * i + 1];
      emit(p, i, slice, std::sqrt(kx * kx + ky * ky), depth[i], drawn_[first + i], tally);
    }
}

// Draws the photons of the classical spectrum whose optical depth lies in this encounter, and keeps
// those of the quantum spectrum.
__attribute__((noinline)) void RadiatingBeam::emit(const ParticleView& p, std::int64_t i, int slice,
                                                   double kick, double& depth, std::uint16_t& drawn,
                                                   PhotonTally& tally) const {
  while (depth < 0.0) {
    if (drawn == passage_draws - 1) {
      depth = std::numeric_limits<double>::infinity();
      return;
    }
    const std::uint32_t index = index_ | ++drawn;
    double next, place, share, chance;
    numerics::uniform_pair(seed_, p.id[i], turn_, streams::photon_depth, index, next, place);
    numerics::uniform_pair(seed_, p.id[i], turn_, streams::photon, index, share, chance);
    const double upsilon = upsilon_ * (1.0 + p.delta[i]) * kick * opposing_->draw(slice, place);
    const CandidatePhoton photon = candidate_photon(spectrum_.draw(share), upsilon);
    if (chance < photon.kept) {
      const double kept = 1.0 - photon.share;
      p.px[i] *= kept;
      p.py[i] *= kept;
      p.delta[i] -= photon.share * (1.0 + p.delta[i]);
      tally.add(photon.share, upsilon);
    }
    depth -= numerics::log_positive(next);
  }
}

void RadiatingBeam::radiate_mean(const ParticleView& p, int slice, const double* kick,
                                 PhotonTally& tally) const {
  const SliceDensity::Means& g = means_[slice];
  double largest = 0.0;
  const int n = static_cast<int>(p.size);
  for (int i = 0; i < n; ++i) {
    const double kx = kick[2 * i], ky = kick[2 * i + 1];
    const double square = kx * kx + ky * ky, bend = std::sqrt(square);
    const double energy = 1.0 + p.delta[i], upsilon = upsilon_ * energy * bend;
    const double number = 0.5 * (spectrum_.quantum(upsilon * g.low).number +
                                 spectrum_.quantum(upsilon * g.high).number);
    const double loss = 0.5 * (spectrum_.quantum(upsilon * g.weighted_low).loss +
                               spectrum_.quantum(upsilon * g.weighted_high).loss);
    const double all = mean_share_ * energy * square * g.mean * loss;
    const double share = all < largest_mean ? all : largest_mean;
    p.px[i] *= 1.0 - share;
    p.py[i] *= 1.0 - share;
    p.delta[i] -= share * energy;
    // Rounded one by one, so that the sums do not depend on who adds them.
    tally.add_expected(rate_ * bend * number, share);
    largest = std::fmax(largest, upsilon * g.largest);
  }
  tally.meet(largest);
}

PhotonTally RadiatingBeam::tally() const {
  PhotonTally result(scale_);
  for (const PhotonTally& tally : tallies_) result.add(tally);
  return result;
}

parallel::KernelCard with_radiation(parallel::KernelCard kick) {
  kick.flops += 15.0;  // a root counted as ten
  kick.bytes += 16.0;  // the optical depth
  kick.touched += 8.0;
  return kick;
}

}  // namespace phasewise::collision
