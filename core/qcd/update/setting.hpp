// How a study makes configurations.
#pragma once

#include <cstdint>
#include <vector>

namespace phasewise::qcd {

enum class UpdateMethod : std::uint8_t { none, hmc, heat_bath };
enum class Integrator : std::uint8_t { leapfrog, omelyan_2, omelyan_4 };

// S = β Σ [c₀ (1 - Re tr P/3) + c₁ (1 - Re tr R/3)] over all plaquettes P and rectangles R.
struct GaugeAction {
  double beta = 0.0;
  double rectangles = 0.0;  // c₁

  double plaquettes() const { return 1.0 - 8.0 * rectangles; }  // c₀
};

struct UpdateSetting {
  UpdateMethod method = UpdateMethod::none;
  double length = 1.0;  // of a trajectory
  Integrator integrator = Integrator::omelyan_2;
  std::vector<int> steps;          // of each level, from the lightest quarks to the gauge field
  std::vector<double> hasenbusch;  // masses µ of the factors M†M + µ², ascending
  double force_tolerance = 0.0, action_tolerance = 0.0;  // of solves, as solver.tolerance
  int over_relaxation = 0;                               // sweeps after one of heat-bath
  bool quarks = false;
  GaugeAction gauge;
  int every = 1;  // trajectories from one measurement to the next

  bool updates() const { return method != UpdateMethod::none; }
  bool has_quarks() const { return quarks && method == UpdateMethod::hmc; }
};

}  // namespace phasewise::qcd
