// Kicks as the first version of a program computes them, and what each of Amundson's steps changes
// ("Initial profiling and optimization of single-bunch performance in Synergia 2.1" (2011), section
// 4). The three components of the field are three arrays at the nodes, and each component takes a
// pass of its own over the particles.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "beam/coordinates.hpp"
#include "field/box_mesh.hpp"

namespace kicks {

using phasewise::beam::ParticleView;
using phasewise::field::BoxMesh;

// A component of the field at the nodes, with the mesh that it lies on.
struct Component {
  BoxMesh mesh;
  std::vector<double> values;  // [nz][nx][ny]

  __attribute__((noinline)) int nodes(int axis) const { return mesh.n[axis]; }
  __attribute__((noinline)) double origin(int axis) const { return mesh.origin[axis]; }
  __attribute__((noinline)) double cell(int axis) const { return mesh.h[axis]; }
  __attribute__((noinline)) double at(std::int64_t z, std::int64_t x, std::int64_t y) const {
    return values[(z * nodes(0) + x) * nodes(1) + y];
  }
};

// What a pass reads from a component, kept in local variables.
struct Shape {
  std::array<double, 3> origin, inverse;
  std::array<int, 3> n;
  const double* values;

  explicit Shape(const Component& c)
      : origin(c.mesh.origin),
        inverse{1.0 / c.mesh.h[0], 1.0 / c.mesh.h[1], 1.0 / c.mesh.h[2]},
        n(c.mesh.n),
        values(c.values.data()) {}
};

// Calls the library's floor even where the compiler would use an instruction for it.
struct CalledFloor {
  __attribute__((noinline)) static double called(double value) {
    double (*volatile function)(double) = std::floor;
    return function(value);
  }
  static std::int64_t of(double value) { return static_cast<std::int64_t>(called(value)); }
};
// This is correct for values from 0 on, and particles are within the mesh.
struct FastFloor {
  static std::int64_t of(double value) { return static_cast<std::int64_t>(value); }
};

// Asks the component for everything again for each particle.
__attribute__((noinline)) inline double plain_field(const Component& field, double x, double y,
                                                    double z) {
  const double place[3] = {x, y, z};
  std::int64_t cell[3];
  double f[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double scaled = (place[axis] - field.origin(axis)) / field.cell(axis);
    cell[axis] = CalledFloor::of(scaled);
    f[axis] = scaled - static_cast<double>(cell[axis]);
    if (cell[axis] < 1 || cell[axis] > field.nodes(axis) - 3) return 0.0;
  }
  double sum = 0.0;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      for (int c = 0; c < 2; ++c)
        sum += (a ? f[2] : 1 - f[2]) * (b ? f[0] : 1 - f[0]) * (c ? f[1] : 1 - f[1]) *
               field.at(cell[2] + a, cell[0] + b, cell[1] + c);
  return sum;
}

template <class FloorOf>
inline double shaped_field(const Shape& field, double x, double y, double z) {
  const double gx = (x - field.origin[0]) * field.inverse[0];
  const double gy = (y - field.origin[1]) * field.inverse[1];
  const double gz = (z - field.origin[2]) * field.inverse[2];
  const std::int64_t ix = FloorOf::of(gx), iy = FloorOf::of(gy), iz = FloorOf::of(gz);
  if (ix < 1 || iy < 1 || iz < 1 || ix > field.n[0] - 3 || iy > field.n[1] - 3 ||
      iz > field.n[2] - 3)
    return 0.0;
  const double fx = gx - static_cast<double>(ix), fy = gy - static_cast<double>(iy);
  const double fz = gz - static_cast<double>(iz);
  const std::int64_t row = field.n[1], plane = row * field.n[0];
  const double* v = field.values + iz * plane + ix * row + iy;
  const auto cell = [&](const double* u) {
    return (1 - fx) * ((1 - fy) * u[0] + fy * u[1]) + fx * ((1 - fy) * u[row] + fy * u[row + 1]);
  };
  return (1 - fz) * cell(v) + fz * cell(v + plane);
}

template <class FloorOf>
__attribute__((noinline)) double called_field(const Shape& field, double x, double y, double z) {
  return shaped_field<FloorOf>(field, x, y, z);
}

// Makes one pass: momentum += factor · field(x, y, z).
template <class Field>
void pass(const ParticleView& p, double* momentum, double factor, Field&& field) {
  for (std::int64_t i = 0; i < p.size; ++i) momentum[i] += factor * field(p.x[i], p.y[i], p.z[i]);
}

}  // namespace kicks
