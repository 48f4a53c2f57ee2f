// A bunch: its constants, which are the same on every rank, with its lines around the ring; and its
// particles on this rank.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "beam/bucket.hpp"
#include "beam/distribution.hpp"
#include "beam/line.hpp"
#include "beam/moments.hpp"
#include "beam/particles.hpp"
#include "workload/parameters.hpp"

namespace phasewise::beam {

// A number of particles that changes while the macroparticles stay: linear between turns, constant
// before the first and after the last.
struct PopulationRamp {
  std::vector<double> turns, particles;  // as many of each; empty: no ramp

  double at(std::int64_t turn) const;
};

struct BunchConstants {
  int number = 1;           // number of its beam: 1, 2, …
  double charge = 1.0;      // elementary charges
  double mass = 0.0;        // eV
  double energy = 0.0;      // eV
  double population = 0.0;  // at the start
  PopulationRamp ramp{};
  std::int64_t macroparticles = 0;
  bool strong = false;  // not tracked
  // Particles whose δ is below the first or above the second are lost where they leave an
  // interaction point.
  std::optional<std::array<double, 2>> momentum_aperture{};
  BunchDescription distribution;   // at the start
  std::vector<Line> segments{};    // after each interaction point
  std::optional<Bucket> bucket{};  // the RF's, if it holds the particles together

  double gamma() const { return energy / mass; }
  double beta() const;              // velocity over c
  double classical_radius() const;  // of a particle with unit charge and this mass [m]
  double population_at(std::int64_t turn) const {
    return ramp.turns.empty() ? population : ramp.at(turn);
  }
  // Real particles that one macroparticle stands for, at the start and in a turn.
  double per_macroparticle() const { return population / static_cast<double>(macroparticles); }
  double per_macroparticle(std::int64_t turn) const {
    return population_at(turn) / static_cast<double>(macroparticles);
  }
};

// Reads the constants beam.<number>.*, without segments. Throws std::invalid_argument with one
// sentence if they cannot be used.
BunchConstants read_bunch(const workload::Parameters& parameters, int number);

struct Bunch {
  const BunchConstants& constants;
  std::optional<Particles> particles{};    // if this rank holds some
  std::int64_t first_id = 0, last_id = 0;  // ids that live here
  Bounds bounds{};                         // largest |coordinates| of this rank's particles now
  Moments moments{};                       // of the whole bunch when last measured
  std::int64_t alive = 0;                  // living particles of the whole bunch
  bool exposed = true;                     // the particles may have been changed from outside

  // Makes this rank's particles at the start; random numbers depend on seed and id only.
  void fill(std::uint64_t seed, int threads);
  // Replaces this rank's particles. Throws std::invalid_argument if an id belongs to another rank,
  // or is given twice.
  void replace_particles(const ParticleView& from);
  // Gives the particles, with what is known of them, to another object of the same bunch.
  void hand_over(Bunch& to);
};

}  // namespace phasewise::beam
