// Exact solutions.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "hydro/gas.hpp"
#include "hydro/grid.hpp"
#include "hydro/problems.hpp"

namespace phasewise::hydro {

// Two states that meet at x = 0 (Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics,
// chapter 4).
struct RiemannSolution {
  double gamma = 1.4;
  Primitive left, right;
  bool vacuum = false;                             // between the states
  double pressure = 0.0, velocity = 0.0;           // between the waves
  double density_left = 0.0, density_right = 0.0;  // beside the contact
  // Speeds of the outermost points of both waves; of shocks, head and tail are the same.
  double left_head = 0.0, left_tail = 0.0, right_tail = 0.0, right_head = 0.0;

  Primitive at(double x_over_t) const;
};
RiemannSolution exact_riemann(double gamma, const Primitive& left, const Primitive& right);

// A point explosion in a cold gas (Sedov; Kamm, LA-UR-00-6055): dimensions 1 planar, 2 cylindrical,
// 3 spherical. The energy is that of the whole space, in 1 and 2 dimensions of a unit of the area
// or length.
class SedovSolution {
 public:
  SedovSolution(double gamma, int dimensions, double density, double energy);
  // E = α ρ R^(n+2) / t².
  double alpha() const { return alpha_; }
  double shock(double time) const;
  Primitive at(double r, double time) const;  // velocity[0] is the radial one

 private:
  double gamma_, density_, energy_, alpha_ = 0.0;
  int dimensions_;
  std::vector<double> velocity_, density_ratio_, pressure_;  // over those of the shock, by r
};

// Gas of density 1 and no pressure that falls to a centre with velocity -1 (Noh, J. Comput. Phys.
// 72 (1987) 78).
class NohSolution {
 public:
  NohSolution(double gamma, int dimensions) : gamma_(gamma), dimensions_(dimensions) {}
  double shock(double time) const { return 0.5 * (gamma_ - 1.0) * time; }
  Primitive at(double r, double time) const;

 private:
  double gamma_;
  int dimensions_;
};

// The states that meet in sod, lax and einfeldt.
struct TwoStates {
  Primitive left, right;
};
TwoStates riemann_states(Case kind);

// A simple wave that travels along an axis through a gas of density 1 and sound speed 1. Each of
// its velocities u moves with the speed 1 + (γ+1)/2 u, until the wave breaks.
class SimpleWave {
 public:
  // The length of the axis is the wavelength.
  SimpleWave(double gamma, double amplitude, const Axis& axis)
      : gamma_(gamma), amplitude_(amplitude), low_(axis.low), length_(axis.high - axis.low) {}
  Primitive at(double x, double time) const;
  double breaks_at() const;

 private:
  double gamma_, amplitude_, low_, length_;
};

// The solution of a problem on its grid.
class Solution {
 public:
  virtual ~Solution() = default;
  // None if the problem has no solution in closed form, not on this grid, or not with gravity.
  static std::unique_ptr<const Solution> of(const Problem& problem, const Grid& grid);
  // At a point, given by its coordinates.
  virtual Primitive at(const double* point, double time) const = 0;
  // Where it jumps or has a kink at this time: coordinates along axis 1, or distances from the
  // centre.
  virtual std::vector<double> breaks(double time) const = 0;
  // Until when it holds.
  virtual double ends() const;
  // Whether it depends on axis 1 alone.
  virtual bool along_first_axis() const = 0;
};

// The mean density of a zone at a time: by Gauss quadrature between the breaks. NaN after the
// solution ended.
class MeanDensity {
 public:
  MeanDensity(const Solution& solution, const Grid& grid, double time);
  double operator()(const Zone& zone) const;

 private:
  double mean_along(int i) const;
  double mean_in(const Zone& zone) const;

  const Solution& solution_;
  Grid grid_;
  double time_;
  std::vector<double> breaks_;
  std::vector<double> means_;  // along axis 1, of a solution that depends on it alone
};

}  // namespace phasewise::hydro
