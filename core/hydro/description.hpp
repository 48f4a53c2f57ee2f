// The study: an ideal gas on a grid, as the flat parameters describe it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "hydro/exact.hpp"
#include "hydro/grid.hpp"
#include "hydro/manner.hpp"
#include "hydro/problems.hpp"
#include "workload/parameters.hpp"

namespace phasewise::hydro {

namespace field {
// The names of the six arrays in checkpoints and in Python.
inline constexpr std::string_view names[count] = {"density",   "pressure",  "velocity1",
                                                  "velocity2", "velocity3", "flattening"};
}  // namespace field

struct Description {
  // Throws std::invalid_argument with one sentence if the parameters cannot be used.
  explicit Description(const workload::Parameters& parameters);

  Grid grid;
  Problem problem;
  double until = 0.0;    // the time at which the run ends; 0: it has all its timesteps
  double courant = 0.5;  // Δt max(c, |u|)/Δx
  Riemann riemann = Riemann::newton_8;
  bool alternates = true;  // whether every second timestep takes the directions backwards
  Primitive inflow;
  std::int64_t timesteps = 0;  // at most
  // Timesteps from one comparison with the solution to the next; 0: only the last one.
  std::int64_t norms_every = 1;
  std::shared_ptr<const Solution> solution;  // null: none is known
  Manner manner;

  SweepSetting sweep_setting() const;
};

}  // namespace phasewise::hydro
