// Functions on a value of one pencil, a double, or of several pencils, one in each lane of a
// vector. A lane has the bits that the double would have.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "parallel/lane_values.hpp"

namespace phasewise::hydro {

using parallel::all_of;
using parallel::any;
using parallel::fused;
using parallel::lane_of;
using parallel::Lanes;
using parallel::lanes_of;
using parallel::larger;
using parallel::loaded;
using parallel::magnitude;
using parallel::set_lane;
using parallel::smaller;
using parallel::square_root;
using parallel::stored;

// The value, which is not negative, with a sign; and 0 where two signs differ.
PHASEWISE_HD double with_sign(double value, double sign) { return std::copysign(value, sign); }
PHASEWISE_HD double if_signs_agree(double value, double a, double b) {
  const bool differ = (std::bit_cast<std::int64_t>(a) ^ std::bit_cast<std::int64_t>(b)) < 0;
  return differ ? 0.0 : value;
}
PHASEWISE_HD Lanes with_sign(Lanes value, Lanes sign) {
  using Bits = parallel::Places<double, parallel::lanes>;
  constexpr std::int64_t mask = std::int64_t{1} << 63;
  return std::bit_cast<Lanes>(std::bit_cast<Bits>(value) | (std::bit_cast<Bits>(sign) & mask));
}
PHASEWISE_HD Lanes if_signs_agree(Lanes value, Lanes a, Lanes b) {
  using Bits = parallel::Places<double, parallel::lanes>;
  const Bits differ = std::bit_cast<Bits>(a) ^ std::bit_cast<Bits>(b);
#if defined(__AVX2__) && !defined(__AVX512F__)
  return static_cast<Lanes>(_mm256_blendv_pd(value, Lanes{}, std::bit_cast<__m256d>(differ)));
#else
  return differ < 0 ? Lanes{} : value;
#endif
}

template <class V>
PHASEWISE_HD V square(V a) {
  return a * a;
}

}  // namespace phasewise::hydro
