// Bindings of core/numerics, the Gaussian field and the Lorentz boost, for tests and analysis.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "beam/boost.hpp"
#include "bindings/arrays.hpp"
#include "bindings/coordinates.hpp"
#include "field/bassetti_erskine.hpp"
#include "field/gaussian_potential.hpp"
#include "field/rolled_gaussian.hpp"
#include "numerics/carlson.hpp"
#include "numerics/elementary.hpp"
#include "numerics/faddeeva.hpp"
#include "numerics/normal.hpp"
#include "numerics/philox.hpp"
#include "numerics/rational_faddeeva.hpp"
#include "numerics/sobol.hpp"

namespace nb = nanobind;

namespace phasewise::bindings {

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ids = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<std::uint32_t> philox(const std::vector<std::uint32_t>& counter,
                                  const std::vector<std::uint32_t>& key) {
  if (counter.size() != 4 || key.size() != 2) {
    throw std::invalid_argument("philox takes a counter of 4 words and a key of 2.");
  }
  const numerics::PhiloxWords w =
      numerics::philox({counter[0], counter[1], counter[2], counter[3]}, key[0], key[1]);
  return {w.w0, w.w1, w.w2, w.w3};
}

Array normals(std::uint64_t seed, const Ids& ids, std::uint64_t turn, std::uint32_t stream) {
  const std::size_t n = ids.shape(0);
  std::vector<double> g(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    numerics::normal_pair(seed, ids(i), turn, stream, 0, g[i], g[n + i]);
  }
  return to_array(std::move(g), {2, n});
}

Array sobol(std::uint32_t first, std::uint32_t count, std::uint64_t seed, bool scramble) {
  constexpr std::size_t d = numerics::sobol_dimensions;
  std::vector<double> points(d * count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto scrambled = numerics::scrambled_sobol_point(first + i, seed, 0, 0);
    const auto plain = numerics::sobol_point(first + i);
    for (std::size_t k = 0; k < d; ++k) {
      points[i * d + k] = scramble ? scrambled[k] : plain[k] * 0x1p-32;
    }
  }
  return to_array(std::move(points), {count, d});
}

// Makes an array of `Rows` rows with the results of f for every argument.
template <std::size_t Rows, class F>
Array tabulate(std::size_t n, F&& f) {
  std::vector<double> values(Rows * n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::array<double, Rows> row = f(i);
    for (std::size_t k = 0; k < Rows; ++k) values[k * n + i] = row[k];
  }
  return to_array(std::move(values), {Rows, n});
}

void same_size(const Doubles& a, const Doubles& b) {
  if (a.shape(0) != b.shape(0)) throw std::invalid_argument("x and y differ in length.");
}

Array elementary(Doubles x) {
  return tabulate<5>(x.shape(0), [&](std::size_t i) {
    double sine, cosine;
    numerics::sincos_turns(x(i), sine, cosine);
    return std::array<double, 5>{sine, cosine, numerics::exp_real(x(i)),
                                 numerics::log_positive(x(i)), numerics::arcsine(x(i))};
  });
}

double carlson_rd(double x, double y, double z) {
  if (!(std::fmin(x, y) >= 0.0 && x + y > 0.0 && z > 0.0))
    throw std::invalid_argument("carlson_rd takes x, y >= 0, not both 0, and z > 0.");
  return numerics::carlson_rd(x, y, z);
}

Array faddeeva(Doubles x, Doubles y) {
  same_size(x, y);
  return tabulate<2>(x.shape(0), [&](std::size_t i) {
    const numerics::ComplexValue w = numerics::faddeeva(x(i), y(i));
    return std::array<double, 2>{w.re, w.im};
  });
}

Array rational_faddeeva(Doubles x, Doubles y) {
  same_size(x, y);
  return tabulate<2>(x.shape(0), [&](std::size_t i) {
    const numerics::ComplexValue w = numerics::rational_faddeeva(x(i), y(i));
    return std::array<double, 2>{w.re, w.im};
  });
}

Array gaussian_field(Doubles x, Doubles y, double sigma_x, double sigma_y) {
  same_size(x, y);
  if (!(sigma_x > 0.0 && sigma_y > 0.0)) {
    throw std::invalid_argument("gaussian_field takes sizes above 0 m.");
  }
  return tabulate<4>(x.shape(0), [&](std::size_t i) {
    const field::GaussianField f = field::gaussian_field(x(i), y(i), sigma_x, sigma_y);
    return std::array<double, 4>{f.ex, f.ey, f.potential_sxx, f.potential_syy};
  });
}

Array rolled_gaussian(Doubles x, Doubles y, double xx, double xy, double yy) {
  same_size(x, y);
  if (!(xx > 0.0 && xx * yy > xy * xy))
    throw std::invalid_argument("rolled_gaussian takes a covariance that is positive definite.");
  const field::PrincipalAxes axes = field::principal_axes({xx, xy, yy}, 0.0, 0.0);
  const double c = axes.cosine, s = axes.sine;
  return tabulate<6>(x.shape(0), [&](std::size_t i) {
    const field::GaussianField f = field::rolled_gaussian_field(x(i), y(i), axes);
    const double u = field::gaussian_potential(c * x(i) + s * y(i), c * y(i) - s * x(i),
                                               axes.sigma_1, axes.sigma_2);
    return std::array<double, 6>{f.ex, f.ey, f.potential_sxx, f.potential_syy, f.potential_sxy, u};
  });
}

Array boost(const CoordinateArray& coordinates, double phi, double alpha, bool inverse) {
  const beam::CrossingAngle angle = beam::crossing_angle(phi, alpha);
  return map_coordinates(coordinates, [&](beam::Coordinates& c) {
    inverse ? beam::inverse_boost(c, angle) : beam::boost(c, angle);
  });
}

}  // namespace

}  // namespace phasewise::bindings

void bind_numerics(nb::module_& m) {
  using namespace nb::literals;
  namespace b = phasewise::bindings;
  m.def("philox", b::philox, "counter"_a, "key"_a,
        "Philox 4x32-10: four 32-bit words from a counter of 4 words and a key of 2.");
  m.def("normals", b::normals, "seed"_a, "ids"_a, "turn"_a, "stream"_a,
        "Normal deviates, (2, n): a pair for each particle id (uint32).");
  m.def("sobol", b::sobol, "first"_a, "count"_a, "seed"_a = 0, "scramble"_a = false,
        "Points first … first + count - 1 of the Sobol sequence, (count, 6), in [0, 1).");
  m.def("elementary", b::elementary, "x"_a,
        "(5, n): sin 2πx, cos 2πx, exp x, log x (for normal x > 0 only), arcsin x.");
  m.def("carlson_rd", b::carlson_rd, "x"_a, "y"_a, "z"_a,
        "Carlson's symmetric elliptic integral R_D(x, y, z).");
  m.def("faddeeva", b::faddeeva, "x"_a, "y"_a,
        "(2, n): real and imaginary part of w(x + iy) = exp(-z²) erfc(-iz), for y >= 0.");
  m.def("rational_faddeeva", b::rational_faddeeva, "x"_a, "y"_a,
        "As faddeeva, for x >= 0 too, by a rational function to 1e-13.");
  m.def("gaussian_field", b::gaussian_field, "x"_a, "y"_a, "sigma_x"_a, "sigma_y"_a,
        "Bassetti-Erskine field of a unit charge, (4, n): Ex, Ey [1/m], and the derivatives of "
        "the potential u (E = -grad u, u = -ln r far away) by σx² and σy² [1/m²]. Lengths in m.");
  m.def("rolled_gaussian", b::rolled_gaussian, "x"_a, "y"_a, "xx"_a, "xy"_a, "yy"_a,
        "Field of a unit charge with the covariance xx, xy, yy [m²], (6, n): Ex, Ey [1/m], the "
        "derivatives of u by xx, yy and xy [1/m²], and u itself. x and y in m.");
  m.def("boost", b::boost, "coordinates"_a, "phi"_a, "alpha"_a = 0.0, "inverse"_a = false,
        "Lorentz boost of coordinates (6, n) by the half crossing angle φ in the plane α [rad].");
}
