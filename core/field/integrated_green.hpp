// The integrated Green function of the plane: -ln r averaged over each cell of a doubled grid.
// Qiang, Furman, Ryne, J. Comput. Phys. 198 (2004) 278 (whose equation 57 lacks 1/(hx hy)).
#pragma once

#include <vector>

#include "field/doubled_axis.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::field {

// The average of -1/2 ln(x² + y²) over a cell of hx by hy [m] centred on (x, y); dimensionless.
double integrated_green(double x, double y, double hx, double hy);

// A distance along x, its row of the doubled grid, and the row of its mirror image (the same row if
// the mirror image lies outside the range).
struct GreenRow {
  int distance, place, mirror;
};
// The distinct distances of rows [first, first + count), ascending.
std::vector<GreenRow> distinct_rows(const DoubledAxis& x, int first, int count);

// The rows of the doubled grid at given distances along x. The antiderivative is computed once at
// each corner, which four cells share.
class GreenRows {
 public:
  GreenRows(const std::vector<GreenRow>& rows, const DoubledAxis& y, double hx, double hy,
            int threads);
  // Writes y.m values: the row at this distance, with zeros in the padding.
  void fill(int distance, double* line) const;

 private:
  // Corner c lies at c + 1/2 cells.
  const double* corners_at(int corner) const;
  void corner_sums(int distance, double* sums) const;

  DoubledAxis y_;
  double ratio_, constant_;   // lengths are in units of hx, which adds a constant to ln r
  int lowest_, width_;        // corners along y
  std::vector<int> corners_;  // along x, ascending
  parallel::Buffer<double> values_;
};

}  // namespace phasewise::field
