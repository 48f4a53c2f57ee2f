// Complex values in the lanes of vectors.
#pragma once

#include "parallel/macros.hpp"
#include "parallel/simd.hpp"

namespace phasewise::numerics {

// One complex value of each row.
struct LanesOfComplex {
  parallel::Lanes re, im;
};

PHASEWISE_HD LanesOfComplex operator+(const LanesOfComplex& a, const LanesOfComplex& b) {
  return {a.re + b.re, a.im + b.im};
}
PHASEWISE_HD LanesOfComplex operator-(const LanesOfComplex& a, const LanesOfComplex& b) {
  return {a.re - b.re, a.im - b.im};
}
// -i times a value.
PHASEWISE_HD LanesOfComplex turned(const LanesOfComplex& a) { return {a.im, -a.re}; }

PHASEWISE_HD LanesOfComplex times(const LanesOfComplex& a, const parallel::Lanes& factor) {
  return {a.re * factor, a.im * factor};
}
PHASEWISE_HD LanesOfComplex times(const LanesOfComplex& a, const LanesOfComplex& factor) {
  return {parallel::fused(a.re, factor.re, -(a.im * factor.im)),
          parallel::fused(a.re, factor.im, a.im * factor.re)};
}
PHASEWISE_HD LanesOfComplex times(const LanesOfComplex& a, const double* factor) {
  return times(a, LanesOfComplex{parallel::all_lanes<double, parallel::lanes>(factor[0]),
                                 parallel::all_lanes<double, parallel::lanes>(factor[1])});
}

}  // namespace phasewise::numerics
