// Fourier transforms along pairs of latitudes. A row holds the northern latitude in its real parts
// and the southern one in its imaginary parts, so that one complex transform does both. Rows of
// several levels, or of several pairs if the levels are few, fill the lanes of vectors.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "numerics/fft.hpp"
#include "numerics/row_batch_fft.hpp"
#include "parallel/buffer.hpp"
#include "sphere/columns.hpp"

namespace phasewise::sphere {

using numerics::Complex;

// The rows of a pair of latitudes, one for each level.
struct RowLayout {
  int longitudes, levels;
  std::int64_t stride;  // from one row to the next

  // Rows begin at lines of the cache. Padding keeps the rows of a grid with 2^n longitudes from
  // meeting in the same sets of it.
  RowLayout(int along, int in_height, bool padded);
  std::int64_t size() const { return stride * levels; }
};

class Fourier {
 public:
  // Values of the rows that are transformed at once, of one thread.
  using Batch = parallel::Buffer<numerics::LanesOfComplex>;

  // `order` are the wavenumbers in the order of storage, and must outlive the object.
  Fourier(const RowLayout& rows, const std::vector<int>& order)
      : rows_(rows), order_(order), transform_(rows.longitudes) {}

  // The most pairs whose rows fill vectors together.
  int pairs_together() const;
  Batch batch() const { return Batch(rows_.longitudes); }

  // Transforms the rows of a field at some consecutive pairs, the first of which has this number
  // among those of the columns, and writes the columns of all wavenumbers: sums times the weight of
  // the pair, differences times weight and sine.
  void forward(const Complex* rows, std::span<const double> sines,
               const std::vector<double>& weights, const ColumnLayout& layout, int field, int first,
               const ColumnParts<double>& columns, Batch& batch) const;
  // The rows of each pair that have these columns, whose differences are over the sine.
  void backward(const ColumnParts<const double>& columns, const ColumnLayout& layout, int field,
                int first, std::span<const double> sines, const std::vector<Complex*>& rows,
                Batch& batch) const;

 private:
  RowLayout rows_;
  const std::vector<int>& order_;
  numerics::RowBatchTransform transform_;
};

}  // namespace phasewise::sphere
