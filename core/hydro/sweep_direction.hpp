// What the sweeps of a direction have in common: the order of the velocities, ghost zones, gravity.
#pragma once

#include "hydro/lagrange.hpp"
#include "hydro/sweep.hpp"

namespace phasewise::hydro {

// The zone whose state a ghost zone has, -1 where gas flows in, and whether it is mirrored there.
struct GhostSource {
  int zone;
  bool mirrored = false;
};
GhostSource ghost_source(const Axis& axis, int i);

class SweepDirection {
 public:
  SweepDirection(const SweepSetting& setting, int direction);

  const Axis& axis() const { return grid_.axes[direction_]; }
  const PencilTables& tables() const { return tables_; }
  SweepConstants constants(double timestep) const;
  // The array of the quantity q of a pencil.
  int field_of(int q) const { return fields_[q]; }
  // The quantity q of gas that flows in.
  double inflow(int q) const { return inflow_[q]; }
  Zone zone_of(const Pencils& pencils, int pencil, int i) const;
  // By what a width is multiplied to be a length, for a pencil.
  double radius(const Pencils& pencils, int pencil) const;
  double gravity(const Zone& zone) const;

 private:
  Grid grid_;
  Gravity gravity_;
  int direction_, others_[2], fields_[quantities];
  double inflow_[quantities];
  PencilTables tables_;
  SweepConstants constants_;
};

}  // namespace phasewise::hydro
