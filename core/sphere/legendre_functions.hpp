// Associated Legendre functions P_lm(sin φ), normalised to ∫ P_lm² dμ = 1 over -1 … 1, without the
// Condon-Shortley phase. The recurrence runs from l = m to higher degrees (Belousov, Tables of
// Normalized Associated Legendre Polynomials, 1962):
//   ε(l+1) P(l+1) = μ P(l) - ε(l) P(l-1),   ε(l)² = (l² - m²) / (4 l² - 1).
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace phasewise::sphere {

inline double epsilon(int l, int m) {
  const double degree = l, order = m;
  return std::sqrt((degree - order) * (degree + order) / (4.0 * degree * degree - 1.0));
}

// The functions at some latitudes, order by order. It keeps the first values of the orders that it
// was made for.
class LegendreRecurrence {
 public:
  // `orders` are those that will be written, up to degree `top`.
  LegendreRecurrence(std::span<const double> sines, std::span<const int> orders, int top);

  std::size_t latitudes() const { return sine_.size(); }
  // Writes [top - m + 1][latitudes] values, of degrees m … top, for the order at this place among
  // `orders`. Those below 2^-900 at the first degrees of a latitude become 0. It takes 4 flops a
  // value. Safe to call from several threads.
  void write(std::size_t place, double* values) const;

 private:
  // The first degree of a latitude within the range of doubles, and two consecutive values there.
  struct Beginning {
    int degree;
    double before, here;
  };
  Beginning beginning_of(double sine, long double first, int m) const;
  // The latitudes [first, first + count), which are few enough for registers.
  template <int vectors>
  void write_block(const Beginning* beginnings, int m, std::span<const double> factors,
                   std::size_t first, std::size_t count, double* values) const;

  std::vector<double> sine_;
  std::vector<int> orders_;
  int top_;
  std::vector<Beginning> beginnings_;  // [order][latitude]
};

}  // namespace phasewise::sphere
