// Where the cells of the ocean lie. On the B-grid a cell (i, j) holds temperature, salinity and the
// height of the surface, and the corner in its north-east holds velocities (Arakawa, Lamb, Methods
// Comput. Phys. 17 (1977) 173). i counts eastwards and j northwards.
#pragma once

#include <vector>

#include "ocean/description.hpp"

namespace phasewise::ocean {

inline constexpr double gravity = 9.80616;             // m/s²
inline constexpr double earth_radius = 6.37122e6;      // m
inline constexpr double earth_rotation = 7.292123e-5;  // 1/s
inline constexpr double sea_density = 1026.0;          // kg/m³

class Grid {
 public:
  explicit Grid(const GridSetting& setting);

  int nx() const { return setting_.nx; }
  int ny() const { return setting_.ny; }
  int nz() const { return setting_.nz; }
  const GridSetting& setting() const { return setting_; }
  bool periodic_x() const { return setting_.periodic != Periodic::none; }
  bool periodic_y() const { return setting_.periodic == Periodic::xy; }

  // Of row j, from -2 to ny + 1.
  struct Row {
    double dx_cell, dx_corner;  // m
    double dy;                  // m
    double area_cell;           // m²
    double coriolis;            // 1/s, at corners
    double curvature;           // tan(latitude)/R at corners, 1/m
    double latitude;            // deg, of cells; on a plane 0
    double northing;            // of corners: 0 in the first row's cells, 1 in the last one's
    double area_corner() const { return dx_corner * dy; }
  };
  const Row& row(int j) const { return rows_[j + 2]; }

  double thickness(int level) const { return setting_.thickness[level]; }
  // Of a number of levels from the surface [m].
  double depth(int levels) const { return depth_[levels]; }

 private:
  GridSetting setting_;
  std::vector<Row> rows_;
  std::vector<double> depth_;
};

}  // namespace phasewise::ocean
