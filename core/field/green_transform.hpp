// The transform of a Green function between two windows of a mesh, and what is done with it; for
// g++ and nvcc alike.
#pragma once

#include <memory>

#include "numerics/complex_product.hpp"
#include "numerics/fft.hpp"
#include "parallel/buffer.hpp"
#include "parallel/macros.hpp"

namespace phasewise::field {

// Computes c *= g, with the real part before the imaginary part.
PHASEWISE_HD void multiply_complex(double* c, const double* g) {
  const auto [re, im] = numerics::complex_product(c[0], c[1], g[0], g[1]);
  c[0] = re;
  c[1] = im;
}

// The Green function between two windows of a mesh.
struct GreenKey {
  double hx = 0.0, hy = 0.0;     // m, cells
  int shift_x = 0, shift_y = 0;  // target window minus source window, in cells
  bool operator==(const GreenKey&) const = default;
  // It is even along both axes where the windows coincide, and its transform is real.
  bool even() const { return shift_x == 0 && shift_y == 0; }
};

// Columns [first_column, first_column + columns) of the transform of a Green function on the
// doubled grid. FFTW's solver reads them one after the other: [column][kx], column_stride() values
// apart. The solver in lanes has as many at once as vectors have lanes: [columns][place][lane] if
// the transform is real, else [columns][place][re, im][lane]; the last lanes repeat the last
// column.
struct GreenTransform {
  struct Key {
    GreenKey function;
    int first_column, columns;
    bool operator==(const Key&) const = default;
  };
  Key key;
  parallel::Buffer<numerics::Complex> values;
  parallel::Buffer<double> in_lanes = {};
};

// One mesh to solve on a device: charge and potential [nx][ny] in its memory.
struct MeshToSolve {
  const double* charge;
  double* potential;
  std::shared_ptr<const GreenTransform> green;
};

// A column to convolve with column `number` of those that are kept of a Green function.
struct ColumnToConvolve {
  const std::shared_ptr<const GreenTransform>* green;
  int number;
};

}  // namespace phasewise::field
