// Problems that depend on the distance from a centre.
#pragma once

#include "hydro/grid.hpp"

namespace phasewise::hydro {

// The dimensions in which a blast at the centre spreads: 1, 2 or 3.
int symmetry_of(const Grid& grid);
// Where the centre lies along a planar axis: at 0, or in the middle of an axis without a zero.
double centre_along(const Axis& axis);
// The distance of a point from the centre, and how far a zone's points may be nearer or further
// than its centre.
double distance(const Grid& grid, const double* point);
double reach(const Grid& grid);
// The coordinates of a zone's centre relative to the centre along lengths; 0 along angles.
void from_centre(const Grid& grid, const Zone& zone, double* vector);
// Whether the distance depends on axis 1 alone.
bool along_first_axis(const Grid& grid);

}  // namespace phasewise::hydro
