// The phases of a solve, by name, and the pieces of a turn.
#pragma once

#include <array>
#include <string_view>

#include "qcd/geometry.hpp"

namespace phasewise::qcd {

namespace phases {
inline constexpr std::array<std::string_view, axes> halo{"halo_x", "halo_y", "halo_z", "halo_t"};
inline constexpr std::array<std::string_view, axes> links{"links_x", "links_y", "links_z",
                                                          "links_t"};
inline constexpr std::array<std::string_view, 3> smear{"smear_x", "smear_y", "smear_z"};
inline constexpr std::array<std::string_view, axes> polyakov{"polyakov_x", "polyakov_y",
                                                             "polyakov_z", "polyakov"};
// Of a heat-bath, of the quarks' force, and of the tensor field of the clover force.
inline constexpr std::array<std::string_view, axes> sweep{"sweep_x", "sweep_y", "sweep_z",
                                                          "sweep_t"};
inline constexpr std::array<std::string_view, axes> force{"force_x", "force_y", "force_z",
                                                          "force_t"};
inline constexpr std::array<std::string_view, axes> tensor{"tensor_x", "tensor_y", "tensor_z",
                                                           "tensor_t"};
inline constexpr std::string_view sum_gauge = "sum_gauge", sum_source = "sum_source",
                                  bound_clover = "bound_clover", sum_direction = "sum_direction",
                                  sum_step = "sum_step", sum_curvature = "sum_curvature",
                                  sum_residual = "sum_residual", sum_solution = "sum_solution",
                                  sum_pion = "sum_pion", sum_flow = "sum_flow",
                                  bound_action = "bound_action", sum_action = "sum_action";
}  // namespace phases

// A turn is a solve for one right-hand side, or for the twelve of a propagator; or a trajectory, or
// sweeps, with what is measured after it.
namespace pieces {
inline constexpr std::string_view links = "links", source = "source", iteration = "iteration",
                                  update = "update", solution = "solution",
                                  trajectory = "trajectory", sweeps = "sweeps",
                                  measurement = "measurement";
}

}  // namespace phasewise::qcd
