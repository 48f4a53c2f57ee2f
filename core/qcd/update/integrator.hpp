// The moves of a trajectory: a pure function of integrator, length and steps.
#pragma once

#include <cstdint>
#include <vector>

#include "qcd/update/setting.hpp"

namespace phasewise::qcd {

// The level of a move of the links.
inline constexpr int links_level = -1;

// The force of the monomials of a level moves the momenta for this time, or the momenta move the
// links.
struct Move {
  int level;
  double time;
};

// Level 0 moves the momenta steps[0] times over the length; each time in which it would move the
// links is a trajectory of the next level, and the last level moves the links (J. C. Sexton, D. H.
// Weingarten, Nucl. Phys. B 380 (1992) 665). All integrators begin and end with the momenta. Moves
// of a level with no move of links between them are one move, since forces depend on links alone.
std::vector<Move> schedule_of(Integrator integrator, double length, const std::vector<int>& steps);

// How often each level's force is computed.
std::vector<std::int64_t> force_counts(const std::vector<Move>& moves, int levels);

}  // namespace phasewise::qcd
