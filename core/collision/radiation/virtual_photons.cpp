#include "collision/radiation/virtual_photons.hpp"

#include <array>
#include <numbers>

#include "collision/radiation/constants.hpp"
#include "numerics/elementary.hpp"

namespace phasewise::collision {
namespace {

using numerics::exp_real;
using numerics::log_positive;

constexpr double lowest_v = -16.0, highest_v = 8.0, v_step = 0.0625;  // of ln v
constexpr double x_step = 0.25;  // of ln x; the trapezoidal rule then errs by less than 1e-14
constexpr double t_step = 0.25;

// K1(x) = ∫ exp(-x cosh t) cosh t dt over t > 0.
double bessel_k1(double x) {
  double sum = 0.0;
  for (int i = 0;; ++i) {
    const double e = exp_real(t_step * i), c = 0.5 * (e + 1.0 / e);
    if (x * c > 740.0) break;
    sum += (i == 0 ? 0.5 : 1.0) * t_step * exp_real(-x * c) * c;
  }
  return sum;
}

// 1 - exp(-a), without cancellation.
double one_less_exp(double a) {
  if (a > 0.1) return 1.0 - exp_real(-a);
  return a *
         (1.0 -
          a / 2.0 *
              (1.0 -
               a / 3.0 * (1.0 - a / 4.0 * (1.0 - a / 5.0 * (1.0 - a / 6.0 * (1.0 - a / 7.0))))));
}

// Gauss-Legendre rule on (-1, 1): the positive nodes and their weights.
constexpr std::array<double, 8> gauss_node{
    0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863, 0.6178762444026437484,
    0.7554044083550030339, 0.8656312023878317439, 0.9445750230732325761, 0.9894009349916499326};
constexpr std::array<double, 8> gauss_weight{
    0.1894506104550684963, 0.1826034150449235889, 0.1691565193950025382, 0.1495959888165767321,
    0.1246289712555338720, 0.0951585116824927848, 0.0622535239386478929, 0.0271524594117540949};

// ∫ f over (0, 1).
template <class F>
double integral(const F& f) {
  double sum = 0.0;
  for (std::size_t i = 0; i < gauss_node.size(); ++i)
    sum +=
        0.5 * gauss_weight[i] * (f(0.5 * (1.0 - gauss_node[i])) + f(0.5 * (1.0 + gauss_node[i])));
  return sum;
}

// A loss above this share leaves nothing to collide; none above contributes 1e-8 of a rate.
constexpr double largest_share = 1.0 - 1e-9;

double shape(double k) { return 4.0 / 3.0 - 4.0 / 3.0 * k + k * k; }

}  // namespace

MissingPhotons::MissingPhotons() {
  std::vector<double> x2, flux;
  for (double l = -40.0; l < 6.0; l += x_step) {
    const double x = exp_real(l), k1 = bessel_k1(x);
    x2.push_back(x * x);
    flux.push_back(x_step * x * x * k1 * k1);
  }
  for (double l = lowest_v; l <= highest_v; l += v_step) {
    const double inverse = 0.5 * exp_real(-2.0 * l);
    double sum = 0.0;
    for (std::size_t i = 0; i < x2.size(); ++i) sum += flux[i] * one_less_exp(x2[i] * inverse);
    value_.push_back(sum);
  }
}

const MissingPhotons& MissingPhotons::instance() {
  static const MissingPhotons table;
  return table;
}

double MissingPhotons::at(double v) const {
  const double l = log_positive(v);
  if (l < lowest_v) return 0.5 * (std::numbers::ln2 - std::numbers::egamma - 1.0) - l;
  const double place = (l - lowest_v) / v_step;
  const auto last = static_cast<double>(value_.size() - 1);
  if (place >= last) return value_.back() * exp_real(2.0 * (highest_v - l));
  const auto i = static_cast<std::size_t>(place);
  return value_[i] + (place - static_cast<double>(i)) * (value_[i + 1] - value_[i]);
}

RadiativeBhabha::RadiativeBhabha(const Bhabha& about, double energies, double radius)
    : about_(about),
      energies_(energies),
      wave_length_(radius / fine_structure),
      radius2_(radius * radius),
      largest_(log_positive(4.0 * energies * (1.0 - about.least) / about.least) - 0.5),
      bound_(4.0 * fine_structure * radius2_ * -log_positive(about.least) * shape(0.0) * largest_) {
}

// What stands in brackets, for virtual photons of one r.
double RadiativeBhabha::bracket(double k, double r, double size) const {
  const double squares = 4.0 * energies_ * (1.0 - k) / k;
  double value = log_positive(squares) - 0.5;
  if (about_.beam_size) value -= MissingPhotons::instance().at(size / (squares * wave_length_ * r));
  return value > 0.0 ? value : 0.0;
}

double RadiativeBhabha::cross_section(double least, double size) const {
  const double below = log_positive(least), above = log_positive(largest_share);
  const double sum = integral([&](double part) {
    const double k = exp_real(below + part * (above - below));
    const double a = 1.0 / (1.0 - k) + 1.0 - k;
    // The logarithm of r is integrated as r = t³.
    const double average = integral([&](double t) {
      const double r = t * t * t;
      return 3.0 * t * t * (a - 4.0 * r * (1.0 - r)) * bracket(k, r, size);
    });
    return shape(k) * average / (a - 2.0 / 3.0);
  });
  return 4.0 * fine_structure * radius2_ * (above - below) * sum;
}

RadiativeBhabha::Candidate RadiativeBhabha::candidate(double size, double of_share, double of_kind,
                                                      double of_photon) const {
  const double k = exp_real(of_share * log_positive(about_.least));
  if (!(k < largest_share)) return {k, 0.0};
  // c(r) is the sum of a constant and (1 - 2r)², whose integral is 1/3.
  const double constant = 1.0 / (1.0 - k) - k;
  double r = of_photon;
  if (of_kind * (constant + 1.0 / 3.0) >= constant) {
    const double cube = std::fabs(2.0 * of_photon - 1.0);
    const double root = cube > 1e-300 ? exp_real(log_positive(cube) / 3.0) : 0.0;
    r = 0.5 * (1.0 - std::copysign(root, 2.0 * of_photon - 1.0));
  }
  // Rounding may leave nothing of r.
  r = std::fmax(r, 1e-17);
  return {k, shape(k) / shape(0.0) * bracket(k, r, size) / largest_};
}

}  // namespace phasewise::collision
