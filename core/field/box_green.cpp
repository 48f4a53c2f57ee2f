#include "field/box_green.hpp"

#include <cmath>
#include <cstdlib>
#include <utility>

namespace phasewise::field {

double box_antiderivative(double x, double y, double z) {
  const double xx = x * x, yy = y * y, zz = z * z, r = std::sqrt(xx + yy + zz);
  return y * z * std::log((x + r) / std::sqrt(yy + zz)) +
         x * z * std::log((y + r) / std::sqrt(xx + zz)) +
         x * y * std::log((z + r) / std::sqrt(xx + yy)) -
         0.5 * (zz * std::atan(x * y / (z * r)) + yy * std::atan(x * z / (y * r)) +
                xx * std::atan(y * z / (x * r)));
}

double integrated_box_green(const std::array<int, 3>& cells, const std::array<double, 3>& h) {
  std::vector<double> plane(static_cast<std::size_t>(cells[0] + 1) * (cells[1] + 1));
  GreenPlanes planes(BoxGreen::integrated, h, cells[0] + 1, cells[1] + 1, cells[2]);
  planes.next(plane.data());
  return plane.back();
}

GreenPlanes::GreenPlanes(BoxGreen kind, const std::array<double, 3>& h, int nx, int ny, int k)
    : kind_(kind), h_(h), nx_(nx), ny_(ny), k_(k) {
  if (kind == BoxGreen::point) return;
  before_.resize(static_cast<std::size_t>(nx) * ny);
  behind_.resize(before_.size());
  // F is odd in z, and the corners of the cells in the plane of the source mirror each other.
  fill_corners(behind_, k == 0 ? 0 : k - 1);
  if (k == 0)
    for (double& corner : behind_) corner = -corner;
}

void GreenPlanes::fill_corners(std::vector<double>& corners, int k) const {
  // Lengths are in units of hx.
  const double hy = h_[1] / h_[0], z = (k + 0.5) * h_[2] / h_[0];
  for (int i = 0; i < nx_; ++i)
    for (int j = 0; j < ny_; ++j)
      corners[static_cast<std::size_t>(i) * ny_ + j] =
          box_antiderivative(i + 0.5, (j + 0.5) * hy, z);
}

void GreenPlanes::next(double* plane) {
  if (kind_ == BoxGreen::point) {
    point_plane(plane);
    ++k_;
    return;
  }
  std::swap(before_, behind_);
  fill_corners(behind_, k_);
  ++k_;
  const double scale = h_[0] / (h_[1] * h_[2]);  // from a cell's volume and 1/r
  const auto along_z = [&](int i, int j) {
    const std::size_t at = static_cast<std::size_t>(std::abs(i)) * ny_ + std::abs(j);
    return behind_[at] - before_[at];
  };
  // The corner at -1/2 mirrors that at 1/2.
  const auto along_y = [&](int i, int j) {
    return j > 0 ? along_z(i, j) - along_z(i, j - 1) : 2.0 * along_z(i, 0);
  };
  for (int i = 0; i < nx_; ++i)
    for (int j = 0; j < ny_; ++j) {
      const double sum = i > 0 ? along_y(i, j) - along_y(i - 1, j) : 2.0 * along_y(0, j);
      plane[static_cast<std::size_t>(i) * ny_ + j] = scale * sum;
    }
}

void GreenPlanes::point_plane(double* plane) const {
  for (int i = 0; i < nx_; ++i)
    for (int j = 0; j < ny_; ++j) {
      const double x = i * h_[0], y = j * h_[1], z = k_ * h_[2];
      plane[static_cast<std::size_t>(i) * ny_ + j] = 1.0 / std::sqrt(x * x + y * y + z * z);
    }
  // The charge of a node spreads over its cell.
  if (k_ == 0) plane[0] = integrated_box_green({0, 0, 0}, h_);
}

}  // namespace phasewise::field
