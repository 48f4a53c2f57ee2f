#include "collision/radiation/scattering.hpp"

#include <algorithm>

namespace phasewise::collision {

ScatteringBeam::ScatteringBeam(const Bhabha& about, const beam::BunchConstants& bunch,
                               const beam::BunchConstants& other, double cos_phi, int ip,
                               std::uint64_t seed, int threads)
    : about_(about),
      physics_(about, bunch.gamma() * other.gamma() * cos_phi * cos_phi, bunch.classical_radius()),
      seed_(seed),
      index_(passage_index(bunch.number, ip)),
      threads_(threads),
      counted_(threads) {}

void ScatteringBeam::begin(const beam::ParticleView& particles, std::int64_t turn) {
  turn_ = static_cast<std::uint64_t>(turn);
  for (Counted& counted : counted_) counted = {};
  depth_.reserve(particles.size);
  drawn_.reserve(particles.size);
  draw_depths(particles, seed_, turn_, beam::streams::scattering_depth, index_, threads_,
              depth_.data(), drawn_.data());
}

double ScatteringBeam::decide(std::uint32_t id, std::uint32_t index, double accept, double density,
                              double size, Counted& counted, std::int64_t place) const {
  if (accept >= density) return 0.0;
  double of_share, of_kind, of_photon, applied;
  numerics::uniform_pair(seed_, id, turn_, beam::streams::scattering, index, of_share, of_kind);
  numerics::uniform_pair(seed_, id, turn_, beam::streams::virtual_photon, index, of_photon,
                         applied);
  const RadiativeBhabha::Candidate candidate =
      physics_.candidate(size, of_share, of_kind, of_photon);
  if (accept >= density * candidate.chance) return 0.0;
  ++counted.events;
  if (applied * about_.scale >= 1.0) return 0.0;
  counted.places.push_back(place);
  return candidate.share;
}

std::int64_t ScatteringBeam::events() const {
  std::int64_t sum = 0;
  for (const Counted& counted : counted_) sum += counted.events;
  return sum;
}

bool ScatteringBeam::has_scattered(std::int64_t place) const {
  return std::ranges::any_of(counted_, [place](const Counted& counted) {
    return std::ranges::find(counted.places, place) != counted.places.end();
  });
}

}  // namespace phasewise::collision
