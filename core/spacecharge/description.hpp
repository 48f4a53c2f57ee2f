// The parameters of a bunch with space charge in a lattice.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "beam/bunch.hpp"
#include "beam/lattice.hpp"
#include "beam/profile.hpp"
#include "field/box_green.hpp"
#include "spacecharge/frozen.hpp"
#include "spacecharge/settings.hpp"
#include "workload/parameters.hpp"

namespace phasewise::spacecharge {

// A stretch of the lattice between two kicks: lines, all but the last of which end at a monitor.
struct Stretch {
  std::vector<beam::Line> lines;
  // The number of the monitor after line i; there is one monitor fewer than lines.
  std::vector<int> monitors;
};

// How the field is computed.
enum class Kind : std::uint8_t {
  box,     // in three dimensions
  planes,  // transversely, plane by plane, for a long beam
  frozen   // that of a Gaussian bunch, without a mesh
};

// How a particle's charge spreads over the nodes around it.
enum class Weighting : std::uint8_t { cic, tsc };

struct Description {
  // Throws std::invalid_argument with one sentence if the parameters cannot be used. For a guest,
  // whose bunch another workload makes, the profile is not read.
  explicit Description(const workload::Parameters& parameters, int number = 1, bool guest = false);

  // The elements that a passage meets, as it tracks them.
  std::vector<beam::Element> elements() const;
  double kick_length() const { return length / kicks; }  // m
  // Δ(px, py, δ) is this factor times minus the gradient of u [1/m²], where each macroparticle has
  // u = 1/r in the bunch's rest frame, in which lengths along z are γ times as long. With F⊥ =
  // qE'⊥/γ, Fz = qE'z and z' = γz, all three components are the gradient of one potential:
  //   N q² r0 L/(β² γ² macroparticles).
  double kick_factor() const;
  bool has_mesh() const { return kind != Kind::frozen; }
  // The largest power of two that divides all charges and with which the whole bunch in one node is
  // exact.
  double charge_quantum() const;

  std::uint64_t seed = 1;
  beam::BunchConstants bunch;
  beam::ProfileDescription profile;
  bool guest = false;
  int kicks = 1;        // per passage, evenly spaced, each in the middle of its part; 0: no force
  double length = 0.0;  // m
  std::vector<Stretch> stretches;  // kicks + 1
  int monitors = 0;
  int apertures = 0;   // of the lattice
  int tracked = 0;     // particles whose coordinates are recorded
  int sort_every = 0;  // passages between sorts of the particles along z; 0: never
  Kind kind = Kind::box;
  Weighting weighting = Weighting::cic;
  std::optional<double> pipe_radius;  // m; without it a long beam has no force along z
  // Of a frozen bunch, at each kick; empty: they are measured.
  std::vector<FrozenPlace> frozen;
  std::array<int, 3> grid{1, 1, 1};  // nodes along x, y, z
  field::BoxGreen green = field::BoxGreen::integrated;
  std::optional<std::array<double, 3>> half_width;  // of a fixed mesh [m]; else it follows
  std::optional<double> period;                     // along z [m]; else open on all sides
  Settings settings;

 private:
  void read_mesh(const workload::Parameters& parameters);
};

}  // namespace phasewise::spacecharge
