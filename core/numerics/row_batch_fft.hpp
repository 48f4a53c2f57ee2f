// Complex transforms of a few rows at once, one row in each lane of the vectors. A row's result has
// the same bits whichever rows are its neighbours. The transforms run in place: forward by
// decimation in frequency, which leaves the frequencies in another order, and backward by
// decimation in time, which begins with that order (Gentleman, Sande, AFIPS 29 (1966) 563). A
// convolution multiplies in that order, and nothing is reordered.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/lanes_of_complex.hpp"

namespace phasewise::numerics {

// The largest power of two that a step takes apart. Eights need fewer passes over the values; the
// last bits of a transform differ.
enum class Radices : std::uint8_t { fours, eights };

// Unnormalised. Safe to call from several threads.
class RowBatchTransform {
 public:
  // Any n ≥ 1; lengths of the form 2^a 3^b 5^c 7^d are fast.
  explicit RowBatchTransform(int n, Radices radices = Radices::fours);
  int size() const { return n_; }
  // Where a frequency 0 … n - 1 stands after `forward`, and before `backward`.
  int place_of(int frequency) const { return places_[frequency]; }
  // n values.
  void forward(LanesOfComplex* values) const { forward(values, n_); }
  void backward(LanesOfComplex* values) const { backward(values, n_); }

  // Only the first `given` values are read, and the others count as zero. If they are at least
  // half, the first step leaves them out.
  void forward(LanesOfComplex* values, int given) const;
  // Only the first `wanted` values are found.
  void backward(LanesOfComplex* values, int wanted) const;
  // Forward, the product with a factor for each place, real or complex, and backward: from `count`
  // values to as many. `from` and `to` may be the same; `room` has room_size() values.
  int room_size() const;
  template <class Factor>
  void convolve(const LanesOfComplex* from, int count, const Factor* factors, LanesOfComplex* to,
                LanesOfComplex* room) const;

 private:
  // A step takes blocks of radix × span values apart into blocks of span values.
  struct Step {
    int radix, span;
    std::int64_t factors;  // where the step's factors begin
    std::int64_t roots;    // where the powers of exp(-2 π i / radix) begin
    int size() const { return radix * span; }
  };
  // Whether the first step can do with the first half of the values.
  bool halves(int count) const;
  template <bool is_forward>
  void take(const Step& step, int blocks, LanesOfComplex* values) const;
  template <bool is_forward>
  void take_half(const LanesOfComplex* from, int span, LanesOfComplex* to, int to_span) const;
  template <bool is_forward>
  void take_blocks(std::size_t first, int blocks, LanesOfComplex* values) const;
  template <class Factor>
  void convolve_last(int blocks, const Factor* factors, LanesOfComplex* values) const;
  template <class Factor>
  void convolve_blocks(std::size_t first, int blocks, const Factor* factors,
                       LanesOfComplex* values) const;

  int n_;
  std::vector<Step> steps_;
  // exp(-2 π i j k / (radix span)), [j < span][1 ≤ k < radix][re, im], and roots [k][re, im].
  std::vector<double> factors_;
  std::vector<int> places_;
};

}  // namespace phasewise::numerics
