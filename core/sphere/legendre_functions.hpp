// Associated Legendre functions P_lm(sin φ), normalised to ∫ P_lm² dμ = 1 over -1 … 1, without the
// Condon-Shortley phase. The recurrence runs from l = m to higher degrees (Belousov, Tables of
// Normalized Associated Legendre Polynomials, 1962):
//   ε(l+1) P(l+1) = μ P(l) - ε(l) P(l-1),   ε(l)² = (l² - m²) / (4 l² - 1).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace phasewise::sphere {

inline double epsilon(int l, int m) {
  const double degree = l, order = m;
  return std::sqrt((degree - order) * (degree + order) / (4.0 * degree * degree - 1.0));
}

// A step of the recurrence, P(l+1) = next μ P(l) - drop P(l-1).
struct LegendreStep {
  double next, drop;  // 1 / ε(l+1), ε(l) / ε(l+1)
};

// The functions at some latitudes, order by order. It keeps the first values of the orders that it
// was made for.
class LegendreRecurrence {
 public:
  // `orders` are those that will be written, up to degree `top`.
  LegendreRecurrence(std::span<const double> sines, std::span<const int> orders, int top);

  // The steps from degrees m … top, for the order at this place among `orders`.
  std::span<const LegendreStep> steps(std::size_t place) const {
    return std::span(steps_).subspan(step_begins_[place],
                                     step_begins_[place + 1] - step_begins_[place]);
  }
  // How many of the first latitudes have only zeros up to degree `top`.
  std::int64_t zeros(std::size_t place) const;
  // Writes [degrees m, m + 2, … up to top][latitudes] values. Those below 2^-100 at the first
  // degrees of a latitude become 0: that changes a sum by less than 1e-28 of its largest terms. All
  // degrees are computed, with 4 flops a value. Safe to call from several threads.
  void write_even(std::size_t place, double* values) const;

 private:
  // The first degree of a latitude whose function is not negligible, and two consecutive values
  // there.
  struct Beginning {
    int degree;
    double before, here;
  };
  static Beginning beginning_of(double sine, long double first, int m,
                                std::span<const double> epsilons);
  // The latitudes [first, first + count), which are few enough for registers.
  void write_block(const Beginning* beginnings, int m, std::span<const LegendreStep> steps,
                   std::size_t first, std::size_t count, double* values) const;

  std::vector<double> sine_;
  std::vector<int> orders_;
  std::vector<Beginning> beginnings_;  // [order][latitude]
  std::vector<LegendreStep> steps_;    // order by order
  std::vector<std::size_t> step_begins_;
};

}  // namespace phasewise::sphere
