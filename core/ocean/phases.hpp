// The phases of a timestep, by name, and its pieces.
#pragma once

#include <string_view>

namespace phasewise::ocean {

namespace phases {
inline constexpr std::string_view baroclinic_boundary = "baroclinic_boundary",
                                  tracer_boundary = "tracer_boundary",
                                  barotropic_boundary = "barotropic_boundary",
                                  solver_halo = "solver_halo", solver_sum = "solver_sum",
                                  measures = "measures", extremes = "extremes";
}  // namespace phases

namespace pieces {
// The operator is set up in the first timestep of a run, and of one that continues.
inline constexpr std::string_view setup = "setup", baroclinic = "baroclinic",
                                  iteration = "iteration", check = "check", finish = "finish";
}  // namespace pieces

}  // namespace phasewise::ocean
