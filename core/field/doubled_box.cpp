#include "field/doubled_box.hpp"

#include "field/periodic_green.hpp"
#include "numerics/fft.hpp"

namespace phasewise::field {
namespace {

using numerics::complex_bytes;

std::int64_t padded(std::int64_t values, std::int64_t of_line) {
  return (values + of_line - 1) / of_line * of_line;
}

}  // namespace

DoubledBox::DoubledBox(const std::array<int, 3>& n, bool periodic)
    : n_(n), m_{}, periodic_(periodic) {
  for (int axis = 0; axis < 3; ++axis) m_[axis] = numerics::fast_even_size(2 * n[axis] - 1);
  if (periodic) m_[2] = n[2];
}

std::int64_t DoubledBox::row_stride() const { return padded(mx(), 4); }
std::int64_t DoubledBox::line_stride() const { return padded(rows(), 4); }
std::int64_t DoubledBox::column_stride() const { return padded(mz(), 4); }
std::int64_t DoubledBox::green_stride() const { return padded(green_planes(), 8); }

parallel::KernelCard DoubledBox::plane_card() const {
  // Each row of the mesh takes a real transform, which is half a complex one, and each row of the
  // plane a complex one. Charge is read or potential written; the rows in between stay in the
  // cache.
  const double values = static_cast<double>(columns());
  return {.name = "potential",
          .flops = nx() * 0.5 * numerics::transform_flops(my()) +
                   rows() * numerics::transform_flops(mx()),
          .bytes = 8.0 * nx() * ny() + complex_bytes * values,
          .vectorised = true,
          .trip = 1.0 * mx(),  // rows along y are about as long
          .loops = 1.0 * nx() + rows()};
}

parallel::KernelCard DoubledBox::row_card() const {
  return {.name = "potential",
          .flops = 0.5 * numerics::transform_flops(my()),
          .bytes = 8.0 * ny() + complex_bytes * rows(),
          .vectorised = true,
          .trip = 1.0 * my(),
          .loops = 1.0};
}

parallel::KernelCard DoubledBox::line_card() const {
  return {.name = "potential",
          .flops = numerics::transform_flops(mx()),
          .bytes = complex_bytes * (nx() + mx()),
          .vectorised = true,
          .touched = complex_bytes * mx(),
          .trip = 1.0 * mx(),
          .loops = 1.0};
}

parallel::KernelCard DoubledBox::column_card() const {
  // Two transforms and a product with a real number. The column is read and written, and the Green
  // function read.
  return {.name = "potential",
          .flops = 2.0 * numerics::transform_flops(mz()) + 2.0 * mz(),
          .bytes = 2.0 * complex_bytes * nz() + 8.0 * green_planes(),
          .vectorised = true,
          .touched = complex_bytes * nz() + 8.0 * green_planes(),
          .trip = 1.0 * mz(),
          .loops = 3.0};
}

parallel::KernelCard DoubledBox::green_plane_card() const {
  const int half = mx() / 2 + 1;
  const double across = half, corners = across * rows();
  const double copies = periodic_ ? periodic_green_copies : 1.0;
  return {.name = "green",
          .flops = 150.0 * copies * corners +  // three logarithms and arctangents at each corner
                   across * 0.5 * numerics::transform_flops(my()) +
                   rows() * 0.5 * numerics::transform_flops(mx()),
          .bytes = 24.0 * copies * corners + 8.0 * columns(),
          .vectorised = false};
}

parallel::KernelCard DoubledBox::green_column_card() const {
  return {.name = "green",
          .flops = 0.5 * numerics::transform_flops(mz()),
          .bytes = 16.0 * green_planes(),
          .vectorised = true,
          .trip = 1.0 * mz(),
          .loops = 1.0};
}

}  // namespace phasewise::field
