#include "field/doubled_grid.hpp"

#include "numerics/fft.hpp"

namespace phasewise::field {
namespace {

using numerics::complex_bytes;

}  // namespace

DoubledGrid::DoubledGrid(int nx, int ny, Transforms transforms)
    : nx_(nx),
      ny_(ny),
      mx_(numerics::fast_even_size(2 * nx - 1)),
      my_(numerics::fast_even_size(2 * ny - 1)),
      transforms_(transforms) {}

parallel::KernelCard DoubledGrid::solve_card() const {
  const parallel::KernelCard row = row_card(), column = column_card();
  return {.name = "solve",
          .flops = 2.0 * row.flops + column.flops,
          .bytes = 2.0 * row.bytes + column.bytes,
          .vectorised = true,
          // Charge, potential, half-transformed rows, Green transform.
          .touched = 16.0 * nx_ * ny_ + column.touched,
          .item_by_item = true,
          .trip = column.trip,  // rows along y are about as long
          .loops = 2.0 * row.loops + column.loops};
}

double DoubledGrid::transform_flops(int m) const {
  // In lanes half of the first additions are left out, since the values are zero or not wanted.
  return numerics::transform_flops(m) - (transforms_ == Transforms::lanes ? 2.0 * m : 0.0);
}

// FFTW's codelets, which take most of the time, are vectorised, and so are transforms in lanes.
parallel::KernelCard DoubledGrid::row_card() const {
  // A real transform is half a complex one. Charge is read or potential written, and the
  // half-transformed rows are written or read.
  return {.name = "solve",
          .flops = nx_ * 0.5 * transform_flops(my_),
          .bytes = 8.0 * nx_ * ny_ + complex_bytes * nx_ * columns(),
          .vectorised = true,
          .trip = 1.0 * my_,
          .loops = 1.0 * nx_};
}

parallel::KernelCard DoubledGrid::column_card() const {
  // Two transforms and a product. The half-transformed rows are read once and written once, and the
  // Green transform is read; in lanes it is real, of windows that coincide.
  const bool in_lanes = transforms_ == Transforms::lanes;
  const double product = in_lanes ? 2.0 : 6.0;
  const double green = (in_lanes ? sizeof(double) : complex_bytes) * columns() * mx_;
  return {.name = "solve",
          .flops = 2.0 * columns() * transform_flops(mx_) + product * columns() * mx_,
          .bytes = 2.0 * complex_bytes * nx_ * columns() + green,
          .vectorised = true,
          .touched = complex_bytes * columns() * nx_ + green,
          .trip = 1.0 * mx_,
          .loops = 3.0 * columns()};
}

parallel::KernelCard DoubledGrid::green_card(int parts) const {
  // An antiderivative (70 flops) at each corner, a real transform of length my at each distance
  // along x, and `columns` complex ones of length mx. Corners are written once and read twice, rows
  // are written and read, and columns are written.
  const double distances = parts == 1 ? nx_ : 2.0 * nx_ - 1.0;
  const double corners = (parts == 1 ? nx_ : distances + parts) * ny_;
  return {.name = "green",
          .flops = 70.0 * corners + distances * (0.5 * numerics::transform_flops(my_) + 4.0 * ny_) +
                   columns() * (numerics::transform_flops(mx_) + 2.0 * mx_),
          .bytes = 24.0 * corners + 3.0 * complex_bytes * mx_ * columns(),
          .vectorised = false,  // logarithms and arctangents take most of the time
          .touched = 8.0 * corners + complex_bytes * mx_ * columns(),
          .item_by_item = true};
}

}  // namespace phasewise::field
