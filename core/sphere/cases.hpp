// The fields at the start, and the solution where one is known.
#pragma once

#include <vector>

#include "sphere/description.hpp"
#include "sphere/gaussian_grid.hpp"

namespace phasewise::sphere {

struct Point {
  int row;                 // of the grid: 2 pair, and 1 more in the south
  double sine, longitude;  // of the latitude; rad
};

// Velocity to the east and to the north [m/s], depth of the fluid and height of the ground [m].
struct PointFields {
  double u, v, depth, ground;
};

class TestCase {
 public:
  TestCase(const Description& description, const GaussianPairs& latitudes);

  PointFields at(const Point& point, int level) const;
  // The depth at a time [s]; only for cases with a solution.
  double depth_at(const Point& point, int level, double time) const;
  // The Coriolis parameter [1/s]; its axis is tilted with that of the steady flow.
  double coriolis(const Point& point) const;

 private:
  PointFields bell(const Point& point, int level, double time) const;
  PointFields steady(const Point& point, int level) const;
  PointFields mountain(const Point& point, int level) const;
  PointFields wave(const Point& point, int level) const;
  PointFields jet(const Point& point, int level) const;
  // What the geopotential at a latitude lacks of that at the south pole [m²/s²], with the jet of
  // amplitude 1: the parts that grow as the amplitude and as its square.
  struct Fall {
    double linear = 0.0, square = 0.0;
    double of(double amplitude) const { return amplitude * (linear + amplitude * square); }
  };
  Fall fall_at(double latitude) const;

  const Description& description_;
  std::vector<Fall> falls_;  // of the jet, at each row of the grid
  Fall mean_fall_;           // over the sphere
};

}  // namespace phasewise::sphere
