// The Green function 1/r of the open box, averaged over a cell or at its centre.
//
// Qiang, Lidia, Ryne, Limborg-Deprey, Phys. Rev. ST Accel. Beams 9 (2006) 044204, equation 8: 1/r
// has the antiderivative, in x, y and z,
//   F = -z²/2 atan(xy/zr) - y²/2 atan(xz/yr) - x²/2 atan(yz/xr)
//       + yz ln(x + r) + xz ln(y + r) + xy ln(z + r).
// With ln((x + r)/sqrt(y² + z²)) instead of ln(x + r), and likewise for y and z, it is odd in x, y
// and z and has the same differences.
#pragma once

#include <array>
#include <vector>

namespace phasewise::field {

enum class BoxGreen { integrated, point };

// F for x, y, z > 0.
double box_antiderivative(double x, double y, double z);

// The average of 1/r over a cell of hx by hy by hz [m] centred at a distance of (i, j, k) cells;
// 1/m.
double integrated_box_green(const std::array<int, 3>& cells, const std::array<double, 3>& h);

// Computes planes of constant distance along z, one after the other.
class GreenPlanes {
 public:
  // The distances are 0 … nx - 1 by 0 … ny - 1; the first plane is that at distance k.
  GreenPlanes(BoxGreen kind, const std::array<double, 3>& h, int nx, int ny, int k);
  // Writes [nx][ny] values, 1/m, and proceeds to the next distance.
  void next(double* plane);

 private:
  void fill_corners(std::vector<double>& corners, int k) const;
  void point_plane(double* plane) const;

  BoxGreen kind_;
  std::array<double, 3> h_;
  int nx_, ny_, k_;
  std::vector<double> before_, behind_;  // F at the corners k - 1/2 and k + 1/2 cells away
};

}  // namespace phasewise::field
