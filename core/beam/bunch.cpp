#include "beam/bunch.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "beam/build_line.hpp"
#include "parallel/loops.hpp"

namespace phasewise::beam {
namespace {

constexpr double coulomb_energy_length = 1.43996454478e-9;  // e²/(4π ε0) [eV m], CODATA 2018

}  // namespace

double BunchConstants::beta() const { return std::sqrt(1.0 - 1.0 / (gamma() * gamma())); }

double BunchConstants::classical_radius() const { return coulomb_energy_length / mass; }

double PopulationRamp::at(std::int64_t turn) const {
  const auto now = static_cast<double>(turn);
  if (now <= turns.front()) return particles.front();
  for (std::size_t k = 1; k < turns.size(); ++k)
    if (now < turns[k]) {
      const double t = (now - turns[k - 1]) / (turns[k] - turns[k - 1]);
      return particles[k - 1] + t * (particles[k] - particles[k - 1]);
    }
  return particles.back();
}

BunchConstants read_bunch(const workload::Parameters& parameters, int number) {
  const std::string of = "beam." + std::to_string(number) + ".";
  BunchConstants bunch;
  bunch.number = number;
  bunch.charge = parameters.number(of + "charge");
  bunch.mass = parameters.positive(of + "mass");
  bunch.energy = parameters.positive(of + "energy");
  bunch.population = parameters.positive(of + "population");
  if (parameters.has(of + "population_ramp")) {
    const std::vector<double> rows = parameters.list(of + "population_ramp");
    for (std::size_t k = 0; k + 1 < rows.size(); k += 2) {
      if (!bunch.ramp.turns.empty() && !(rows[k] > bunch.ramp.turns.back()))
        parameters.fail(of + "population_ramp", "its turns must rise");
      bunch.ramp.turns.push_back(rows[k]);
      bunch.ramp.particles.push_back(rows[k + 1]);
    }
  }
  bunch.macroparticles = parameters.integer(of + "macroparticles");
  bunch.strong = parameters.integer(of + "strong") != 0;
  if (parameters.has(of + "momentum_aperture")) {
    const auto width = parameters.numbers(of + "momentum_aperture", 2);
    if (!(width[0] > 0.0 && width[1] > 0.0))
      parameters.fail(of + "momentum_aperture", "numbers above 0 are accepted");
    bunch.momentum_aperture = {-width[0], width[1]};
  }
  if (bunch.macroparticles < 1 || bunch.macroparticles > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument(of + "macroparticles must lie between 1 and 4294967295");
  if (!(bunch.energy > bunch.mass))
    throw std::invalid_argument(of + "energy must be larger than the particle's mass");
  return bunch;
}

void Bunch::fill(std::uint64_t seed, int threads) {
  particles.emplace(last_id - first_id);
  const ParticleView all = particles->view();
  parallel::for_blocks(all.size, threads, [&](std::int64_t begin, int count, int) {
    const ParticleView block = all.part(begin, count);
    for (int i = 0; i < count; ++i) block.id[i] = static_cast<std::uint32_t>(first_id + begin + i);
    beam::fill(block, constants.distribution, seed, static_cast<std::uint32_t>(constants.number));
  });
}

void Bunch::replace_particles(const ParticleView& from) {
  const std::string of = " of beam " + std::to_string(constants.number);
  if (!particles || from.size > particles->capacity())
    throw std::invalid_argument("more particles" + of + " than belong to this rank");
  std::vector<bool> met(static_cast<std::size_t>(last_id - first_id), false);
  for (std::int64_t i = 0; i < from.size; ++i) {
    const std::int64_t place = from.id[i] - first_id;
    if (place < 0 || place >= std::ssize(met))
      throw std::invalid_argument("particle " + std::to_string(from.id[i]) + of +
                                  " does not belong to this rank");
    if (met[place])
      throw std::invalid_argument("particle " + std::to_string(from.id[i]) + of +
                                  " is given twice");
    met[place] = true;
  }
  particles->resize(from.size);
  exposed = true;
  const ParticleView to = particles->view();
  for (std::int64_t i = 0; i < from.size; ++i) {
    store(to, i, load(from, i));
    to.id[i] = from.id[i];
  }
}

void Bunch::hand_over(Bunch& to) {
  to.particles = std::move(particles);
  particles.reset();
  to.bounds = bounds;
  to.exposed = exposed;
}

}  // namespace phasewise::beam
