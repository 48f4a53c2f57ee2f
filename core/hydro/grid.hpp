// A grid of up to three axes with uniform zones.
#pragma once

#include <cstdint>
#include <vector>

#include "hydro/geometry.hpp"

namespace phasewise::hydro {

struct Axis {
  Geometry geometry = Geometry::planar;
  int zones = 1;
  double low = 0.0, high = 1.0;
  Boundary at_low = Boundary::outflow, at_high = Boundary::outflow;

  double width() const { return (high - low) / zones; }
  // The coordinate of face i, 0 to `zones`. Faces i and zones - i are as far from the middle, bit
  // by bit.
  double face(int i) const { return middle() + face_from_middle(i); }
  double centre(int i) const { return middle() + centre_from_middle(i); }
  double middle() const { return 0.5 * (low + high); }
  double face_from_middle(int i) const { return from_middle(2 * i); }
  double centre_from_middle(int i) const { return from_middle(2 * i + 1); }
  // Of an angle at a distance from the middle. Points mirrored at the middle have the same sines
  // and opposite cosines, bit by bit, if the middle is π/2.
  double sine(double distance) const;
  double cosine(double distance) const;

 private:
  double from_middle(int half_zones) const {
    return 0.5 * (high - low) * (static_cast<double>(half_zones - zones) / zones);
  }
};

// The numbers of a zone along the axes, 0 for those that the grid lacks.
struct Zone {
  int at[3] = {};
};

struct Grid {
  std::vector<Axis> axes;

  int dimensions() const { return static_cast<int>(axes.size()); }
  int zones_along(int axis) const { return axis < dimensions() ? axes[axis].zones : 1; }
  std::int64_t zones() const;
  // i + n1 (j + n2 k).
  std::int64_t number_of(const Zone& zone) const;
  Zone zone_of(std::int64_t number) const;

  // The volume of a zone. A direction that the grid lacks counts with its whole angle, or with unit
  // length: 4π ∫ r² dr with r alone, 2π for the azimuth.
  double volume(const Zone& zone) const;
  // The product that `volume` consists of: the share of a zone along an axis, and of the directions
  // that the grid lacks.
  double share(int axis, int i) const;
  double share_of_lacking() const;
  // By what a width of the axis is multiplied to be a length: 1, r, or r sin θ at the centre.
  double radius(int axis, const Zone& zone) const;
};

}  // namespace phasewise::hydro
