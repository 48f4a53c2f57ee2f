// Transforms of real rows, one in each lane of the vectors: a row of n values as n/2 complex ones,
// whose transform is then taken apart (Cooley, Lewis, Welch, J. Sound Vib. 12 (1970) 315). A row's
// result has the same bits whichever rows are its neighbours.
#pragma once

#include <array>
#include <vector>

#include "numerics/row_batch_fft.hpp"

namespace phasewise::numerics {

// Safe to call from several threads.
class RealRowBatchTransform {
 public:
  // n is even.
  explicit RealRowBatchTransform(int n);
  int size() const { return 2 * half_.size(); }
  // Where a frequency 0 … n/2 stands after `forward`, and before `backward`.
  int place_of(int frequency) const { return places_[frequency]; }

  // `values` has n/2 + 1 places. The first `given` of them have pairs of neighbours in a row, as
  // real and imaginary part, and the row is zero beyond. Leaves twice the transform.
  void forward(LanesOfComplex* values, int given) const;
  // Leaves the first `wanted` pairs of neighbours, n times the row that has this transform.
  void backward(LanesOfComplex* values, int wanted) const;

 private:
  // Frequencies k and n/2 - k, and -i exp(-2 π i k / n).
  struct Pair {
    int there, opposite;
    std::array<double, 2> factor;
  };

  RowBatchTransform half_;
  std::vector<int> places_;
  std::vector<Pair> pairs_;
};

}  // namespace phasewise::numerics
