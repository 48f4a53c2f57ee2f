// The pieces of a turn: of a solve, or of the next configuration with what is measured on it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "qcd/description.hpp"
#include "qcd/phases.hpp"
#include "qcd/update/monomial.hpp"
#include "workload/workload.hpp"

namespace phasewise::qcd {

// The iterations and updates from double precision of a right-hand side that a plan expects.
double planned_iterations(const Description& description);
double planned_updates(const Description& description);
// Those of each solve in a trajectory.
SolveControl planned_solves(const Description& description);

// Whether a measurement follows on the configuration with this number, counted from 0.
inline bool measured(const UpdateSetting& update, std::int64_t number) {
  return (number + 1) % update.every == 0;
}

// The piece of one iteration, or update, in a monomial's solves.
std::string_view iteration_of(std::string_view monomial);
std::string_view update_of(std::string_view monomial);

std::vector<workload::Piece> pieces_of(const Description& description);

}  // namespace phasewise::qcd
