// Complex transforms of a few rows at once, one row in each lane of the vectors. A row's result has
// the same bits whichever rows are its neighbours. The transforms run in place: forward by
// decimation in frequency, which leaves the frequencies in another order, and backward by
// decimation in time, which begins with that order (Gentleman, Sande, AFIPS 29 (1966) 563).
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/simd.hpp"

namespace phasewise::numerics {

// One complex value of each row.
struct LanesOfComplex {
  parallel::Lanes re, im;
};

// Unnormalised. Safe to call from several threads.
class RowBatchTransform {
 public:
  // Any n ≥ 1; lengths of the form 2^a 3^b 5^c 7^d are fast.
  explicit RowBatchTransform(int n);
  int size() const { return n_; }
  // Where a frequency 0 … n - 1 stands after `forward`, and before `backward`.
  int place_of(int frequency) const { return places_[frequency]; }
  // n values.
  void forward(LanesOfComplex* values) const;
  void backward(LanesOfComplex* values) const;

 private:
  // A step takes blocks of radix × span values apart into blocks of span values.
  struct Step {
    int radix, span;
    std::int64_t factors;  // where the step's factors begin
    std::int64_t roots;    // where the powers of exp(-2 π i / radix) begin
  };
  template <bool is_forward>
  void take(const Step& step, int blocks, LanesOfComplex* values) const;
  template <bool is_forward>
  void take_from(std::size_t first, LanesOfComplex* values) const;

  int n_;
  std::vector<Step> steps_;
  // exp(-2 π i j k / (radix span)), [j < span][1 ≤ k < radix][re, im], and roots [k][re, im].
  std::vector<double> factors_;
  std::vector<int> places_;
};

}  // namespace phasewise::numerics
