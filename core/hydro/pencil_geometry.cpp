#include "hydro/pencil_geometry.hpp"

#include <algorithm>
#include <cmath>

namespace phasewise::hydro {
namespace {

double sign_of(double value) { return value < 0.0 ? -1.0 : 1.0; }

void fill_faces(const Axis& axis, PencilTables& tables) {
  for (int i = -ghosts; i <= axis.zones + ghosts; ++i) {
    const double from_middle = axis.face_from_middle(i), at = axis.face(i);
    double area = 1.0, bend = 0.0;
    if (axis.geometry == Geometry::cylindrical_radius) {
      area = std::fabs(at);
      bend = sign_of(at);
    } else if (axis.geometry == Geometry::spherical_radius) {
      area = at * at;
      bend = at;
    } else if (axis.geometry == Geometry::polar_angle) {
      const double sine = axis.sine(from_middle);
      area = std::fabs(sine);
      bend = sign_of(sine) * axis.cosine(from_middle);
    }
    tables.area[i] = area;
    tables.bend[i] = bend;
  }
}

// Ghost zones beyond a centre or a pole are the mirrored ones. No zone lies around it.
void fill_zone(const Axis& axis, int i, PencilTables& tables) {
  const double width = axis.width(), from_middle = axis.centre_from_middle(i);
  double volume = width, arm = 1.0, change = 0.0;
  if (is_radius(axis.geometry)) {
    const double r = axis.centre(i);
    arm = std::max(std::fabs(r), 0.5 * width);
    change = sign_of(r);
    volume = axis.geometry == Geometry::cylindrical_radius
                 ? width * arm
                 : width * (arm * arm + width * width / 12.0);
  } else if (axis.geometry == Geometry::polar_angle) {
    const double sine = axis.sine(from_middle), half = std::sin(0.5 * width);
    arm = std::max(std::fabs(sine), half);
    change = sign_of(sine) * axis.cosine(from_middle);
    volume = 2.0 * half * arm;
  }
  tables.arm[i] = arm;
  tables.arm_change[i] = change;
  tables.volume[i] = volume;
  tables.inverse_volume[i] = 1.0 / volume;
}

}  // namespace

PencilTables::PencilTables(const Axis& axis)
    : zones(axis.zones),
      width(axis.width()),
      area(zones),
      bend(zones),
      volume(zones),
      inverse_volume(zones),
      arm(zones),
      arm_change(zones) {
  fill_faces(axis, *this);
  for (int i = -ghosts; i < zones + ghosts; ++i) fill_zone(axis, i, *this);
}

}  // namespace phasewise::hydro
