// The product of complex numbers, with the same bits on every processor.
//
// GCC 12 puts sums and differences of products, side by side, into one instruction that rounds
// once, though -ffp-contract=off forbids it, and does so or not by the processor, the width of its
// vectors and the place in a loop. A difference is therefore written as the sum with the negative,
// which is the same number. tests/unit/test_contraction.py looks for such instructions.
#pragma once

#include <complex>

#include "parallel/macros.hpp"

namespace phasewise::numerics {

template <class T>
struct ComplexProduct {
  T re, im;
};

// (a_re + i a_im)(b_re + i b_im).
template <class T>
PHASEWISE_HD ComplexProduct<T> complex_product(T a_re, T a_im, T b_re, T b_im) {
  const T minus = -b_im;
  return {a_re * b_re + a_im * minus, a_re * b_im + a_im * b_re};
}

inline std::complex<double> complex_product(const std::complex<double>& a,
                                            const std::complex<double>& b) {
  const auto [re, im] = complex_product(a.real(), a.imag(), b.real(), b.imag());
  return {re, im};
}

}  // namespace phasewise::numerics
