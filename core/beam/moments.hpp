// Moments of a whole beam, summed exactly so that they do not depend on ranks, threads or the
// particles' order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "beam/coordinates.hpp"
#include "numerics/order_free_sum.hpp"
#include "parallel/kernel.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

struct Moments {
  double particles = 0.0;
  std::array<double, 6> mean{};
  std::array<std::array<double, 6>, 6> covariance{};
  std::array<double, 6> third{};  // central, per coordinate; NaN unless the order is 4
  std::array<double, 6> fourth{};

  double rms(int coordinate) const;
};

// Geometric emittances [m] in x, y and z. Those in x and y leave out the part correlated with
// delta, the dispersion.
std::array<double, 3> emittances(const Moments& moments);

// The largest magnitude of each coordinate.
using Bounds = std::array<double, 6>;
void update_bounds(const ParticleView& block, Bounds& bounds);
// One item is a particle.
parallel::KernelCard bounds_card();

// Calls visit(t, a, b, term) for each sum in order: the coordinates, their products, and with order
// 4 their cubes and fourth powers. term(u_a, u_b) is what a particle adds.
template <class Visit>
PHASEWISE_HD void each_moment(int order, const Visit& visit) {
  int t = 0;
  for (int a = 0; a < 6; ++a) visit(t++, a, a, [](double u, double) { return u; });
  for (int a = 0; a < 6; ++a)
    for (int b = a; b < 6; ++b) visit(t++, a, b, [](double u, double v) { return u * v; });
  if (order != 4) return;
  for (int a = 0; a < 6; ++a) visit(t++, a, a, [](double u, double) { return u * u * u; });
  for (int a = 0; a < 6; ++a) visit(t++, a, a, [](double u, double) { return (u * u) * (u * u); });
}

class MomentSums {
 public:
  // order is 2 or 4; count and bounds are those of the whole beam.
  MomentSums(int order, const Bounds& bounds, std::int64_t count);
  void add(const ParticleView& block);
  void add(const MomentSums& other);
  // The partial sums as plain doubles: adding those of all ranks is exact.
  std::span<double> values() { return {&sums_[0].high, 2 * sums_.size()}; }
  // The grids that the terms of each sum are rounded to.
  const std::vector<numerics::OrderFreeGrid>& grids() const { return grids_; }
  int order() const { return order_; }
  Moments moments(double particles) const;
  static int terms(int order) { return order == 4 ? 39 : 27; }
  // One item is a particle, including its map into the frame of an interaction point.
  static parallel::KernelCard card(int order);

 private:
  int order_;
  std::vector<numerics::OrderFreeGrid> grids_;
  std::vector<numerics::OrderFreeSum> sums_;
};

}  // namespace phasewise::beam
