// The doubled grid (Hockney) for the Poisson equation of a box that is open on all sides, or
// periodic along z: its sizes, its memory layout, and the cards of the solver's kernels. It plans
// no transforms.
#pragma once

#include <array>
#include <cstdint>

#include "parallel/kernel.hpp"

namespace phasewise::field {

class DoubledBox {
 public:
  // `n` are the nodes of the mesh along x, y and z. If it is periodic along z, the planes of the
  // mesh make up a period, and nothing is doubled along z.
  explicit DoubledBox(const std::array<int, 3>& n, bool periodic = false);

  const std::array<int, 3>& nodes() const { return n_; }
  bool periodic() const { return periodic_; }

  int nx() const { return n_[0]; }
  int ny() const { return n_[1]; }
  int nz() const { return n_[2]; }
  // Nodes of the doubled grid: at least 2n - 1, of sizes that transform fast; along a period n.
  int mx() const { return m_[0]; }
  int my() const { return m_[1]; }
  int mz() const { return m_[2]; }

  // A plane of constant z that is transformed along y and x has my/2 + 1 rows of mx complex values,
  // each of which begins on a 64-byte boundary. Its values, padding included, are the columns along
  // z.
  int rows() const { return my() / 2 + 1; }
  std::int64_t row_stride() const;
  int columns() const { return static_cast<int>(rows() * row_stride()); }
  // Values from one row of the mesh that is transformed along y, which has rows() values, to the
  // next.
  std::int64_t line_stride() const;
  // The number of planes of the Green function, one for each distance along z; it is even and real.
  int green_planes() const { return mz() / 2 + 1; }
  // Values from one column to the next: complex ones along z, and real ones of the Green function.
  std::int64_t column_stride() const;
  std::int64_t green_stride() const;

  // One item is a plane transformed along y and x, forward or backward.
  parallel::KernelCard plane_card() const;
  // The same in two steps: one item is a row of the mesh along y, or a line of a plane along x.
  parallel::KernelCard row_card() const;
  parallel::KernelCard line_card() const;
  // One item is a column convolved.
  parallel::KernelCard column_card() const;
  // One item is a plane of the Green function, transformed along y and x.
  parallel::KernelCard green_plane_card() const;
  // One item is a column of the Green function, transformed along z.
  parallel::KernelCard green_column_card() const;

 private:
  std::array<int, 3> n_, m_;
  bool periodic_;
};

}  // namespace phasewise::field
