// Particles' coordinates as a (6, n) array of x px y py z delta.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "beam/coordinates.hpp"
#include "bindings/arrays.hpp"

namespace phasewise::bindings {

using CoordinateArray = nb::ndarray<const double, nb::shape<6, -1>, nb::c_contig, nb::device::cpu>;

// Views 6 n values, row by row, and n ids as particles.
inline beam::ParticleView view_of(std::vector<double>& values, std::vector<std::uint32_t>& ids) {
  const std::size_t n = ids.size();
  double* v = values.data();
  return {v,         v + n,     v + 2 * n,  v + 3 * n,
          v + 4 * n, v + 5 * n, ids.data(), static_cast<std::int64_t>(n)};
}

inline std::vector<double> copy_of(const CoordinateArray& coordinates) {
  return {coordinates.data(), coordinates.data() + coordinates.size()};
}

// Calls f(Coordinates&) for every particle.
template <class F>
Array map_coordinates(const CoordinateArray& coordinates, F&& f) {
  const std::size_t n = coordinates.shape(1);
  std::vector<double> v = copy_of(coordinates);
  for (std::size_t i = 0; i < n; ++i) {
    beam::Coordinates c{v[i], v[n + i], v[2 * n + i], v[3 * n + i], v[4 * n + i], v[5 * n + i]};
    f(c);
    const double mapped[6] = {c.x, c.px, c.y, c.py, c.z, c.delta};
    for (std::size_t k = 0; k < 6; ++k) v[k * n + i] = mapped[k];
  }
  return to_array(std::move(v), {6, n});
}

}  // namespace phasewise::bindings
