#include "beam/moments.hpp"

#include <cmath>
#include <limits>

#include "parallel/loops.hpp"

namespace phasewise::beam {
namespace {

using numerics::OrderFreeGrid;
using numerics::OrderFreeSum;

std::array<const double*, 6> columns(const ParticleView& p) {
  return {p.x, p.px, p.y, p.py, p.z, p.delta};
}

// Sums term(i) over the block; the compiler may use any order, since every addition is exact.
template <class Term>
void accumulate(std::int64_t n, const OrderFreeGrid& grid, OrderFreeSum& sum, Term term) {
  const OrderFreeGrid g = grid;
  double high = 0.0, low = 0.0;
#pragma omp simd reduction(+ : high, low)
  for (std::int64_t i = 0; i < n; ++i) {
    const double value = term(i);
    const double upper = numerics::round_to_multiple(value, g.high_offset);
    high += upper;
    low += numerics::round_to_multiple(value - upper, g.low_offset);
  }
  sum.high += high;
  sum.low += low;
}

double cube(double v) { return v * v * v; }
double fourth_power(double v) { return (v * v) * (v * v); }

// The rms emittance of a plane, without the parts of u and pu that are proportional to delta.
double plane_emittance(const Moments& m, int u) {
  const auto& c = m.covariance;
  const double dd = c[5][5];
  const double du = dd > 0.0 ? c[u][5] / dd : 0.0, dp = dd > 0.0 ? c[u + 1][5] / dd : 0.0;
  const double uu = c[u][u] - du * c[u][5];
  const double pp = c[u + 1][u + 1] - dp * c[u + 1][5];
  const double up = c[u][u + 1] - du * c[u + 1][5];
  return std::sqrt(std::fmax(0.0, uu * pp - up * up));
}

}  // namespace

double Moments::rms(int coordinate) const {
  return std::sqrt(std::fmax(0.0, covariance[coordinate][coordinate]));
}

std::array<double, 3> emittances(const Moments& m) {
  const auto& c = m.covariance;
  return {plane_emittance(m, 0), plane_emittance(m, 2),
          std::sqrt(std::fmax(0.0, c[4][4] * c[5][5] - c[4][5] * c[4][5]))};
}

void update_bounds(const ParticleView& block, Bounds& bounds) {
  const auto column = columns(block);
  for (int a = 0; a < 6; ++a) {
    const double* value = column[a];
    double largest = bounds[a];
#pragma omp simd reduction(max : largest)
    for (std::int64_t i = 0; i < block.size; ++i)
      largest = std::fabs(value[i]) > largest ? std::fabs(value[i]) : largest;
    bounds[a] = largest;
  }
}

parallel::KernelCard bounds_card() {
  return {.name = "bounds",
          .flops = 12.0,  // a magnitude and a comparison of each coordinate
          .bytes = 48.0,  // read
          .vectorised = true};
}

MomentSums::MomentSums(int order, const Bounds& bounds, std::int64_t count) : order_(order) {
  for (int a = 0; a < 6; ++a) grids_.emplace_back(bounds[a], count);
  for (int a = 0; a < 6; ++a)
    for (int b = a; b < 6; ++b) grids_.emplace_back(bounds[a] * bounds[b], count);
  if (order == 4) {
    for (int a = 0; a < 6; ++a) grids_.emplace_back(cube(bounds[a]), count);
    for (int a = 0; a < 6; ++a) grids_.emplace_back(fourth_power(bounds[a]), count);
  }
  sums_.resize(grids_.size());
}

void MomentSums::add(const ParticleView& block) {
  const auto column = columns(block);
  each_moment(order_, [&](int t, int a, int b, const auto& term) {
    accumulate(block.size, grids_[t], sums_[t],
               [=, u = column[a], v = column[b]](auto i) { return term(u[i], v[i]); });
  });
}

void MomentSums::add(const MomentSums& other) {
  for (std::size_t t = 0; t < sums_.size(); ++t) {
    sums_[t].high += other.sums_[t].high;
    sums_[t].low += other.sums_[t].low;
  }
}

parallel::KernelCard MomentSums::card(int order) {
  return {.name = "moments",
          .flops = 8.0 * terms(order),  // a product and 7 additions for each term
          .bytes = 96.0,                // read and written
          .vectorised = true,
          .touched = 48.0,
          .trip = parallel::block_size};
}

Moments MomentSums::moments(double particles) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  Moments m;
  m.particles = particles;
  int t = 0;
  const auto average = [&] { return sums_[t++].value() / particles; };
  for (int a = 0; a < 6; ++a) m.mean[a] = average();
  for (int a = 0; a < 6; ++a)
    for (int b = a; b < 6; ++b)
      m.covariance[a][b] = m.covariance[b][a] = average() - m.mean[a] * m.mean[b];
  m.third.fill(unknown);
  m.fourth.fill(unknown);
  if (order_ != 4) return m;
  std::array<double, 6> cubes;
  for (int a = 0; a < 6; ++a) cubes[a] = average();
  for (int a = 0; a < 6; ++a) {
    const double mu = m.mean[a], second = m.covariance[a][a] + mu * mu;
    m.third[a] = cubes[a] - 3.0 * mu * second + 2.0 * mu * mu * mu;
    m.fourth[a] =
        average() - 4.0 * mu * cubes[a] + 6.0 * mu * mu * second - 3.0 * mu * mu * mu * mu;
  }
  return m;
}

}  // namespace phasewise::beam
