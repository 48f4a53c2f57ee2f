// Functions on a value of one pencil, a double, or of several pencils, one in each lane of a
// vector. A lane has the bits that the double would have.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "parallel/simd.hpp"

namespace phasewise::hydro {

using parallel::fused;
using parallel::Lanes;

inline constexpr int double_bytes = sizeof(double);
template <class V>
inline constexpr int lanes_of = static_cast<int>(sizeof(V)) / double_bytes;

PHASEWISE_HD double square_root(double a) { return std::sqrt(a); }
PHASEWISE_HD Lanes square_root(Lanes a) {
#if defined(__AVX512F__)
  return static_cast<Lanes>(_mm512_sqrt_pd(a));
#elif defined(__AVX2__)
  return static_cast<Lanes>(_mm256_sqrt_pd(a));
#else
  for (int lane = 0; lane < parallel::lanes; ++lane) a[lane] = std::sqrt(a[lane]);
  return a;
#endif
}

PHASEWISE_HD double magnitude(double a) { return std::fabs(a); }
PHASEWISE_HD Lanes magnitude(Lanes a) {
  using Bits = parallel::Places<double, parallel::lanes>;
  return std::bit_cast<Lanes>(std::bit_cast<Bits>(a) & std::int64_t{0x7fffffffffffffff});
}

// a < b ? a : b and a > b ? a : b, in one instruction.
template <class V>
PHASEWISE_HD V smaller(V a, V b) {
  return a < b ? a : b;
}
template <class V>
PHASEWISE_HD V larger(V a, V b) {
  return a > b ? a : b;
}
#if defined(__AVX512F__)
PHASEWISE_HD Lanes smaller(Lanes a, Lanes b) { return static_cast<Lanes>(_mm512_min_pd(a, b)); }
PHASEWISE_HD Lanes larger(Lanes a, Lanes b) { return static_cast<Lanes>(_mm512_max_pd(a, b)); }
#elif defined(__AVX2__)
PHASEWISE_HD Lanes smaller(Lanes a, Lanes b) { return static_cast<Lanes>(_mm256_min_pd(a, b)); }
PHASEWISE_HD Lanes larger(Lanes a, Lanes b) { return static_cast<Lanes>(_mm256_max_pd(a, b)); }
#endif

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

// One value from memory, or one for each lane.
template <class V>
PHASEWISE_HD V loaded(const double* from) {
  if constexpr (lanes_of<V> == 1)
    return *from;
  else
    return parallel::load(from);
}
PHASEWISE_HD void stored(double* to, double value) { *to = value; }
PHASEWISE_HD void stored(double* to, Lanes value) { parallel::store(to, value); }

// The same value in each lane.
template <class V>
PHASEWISE_HD V all_of(double value) {
  return value - V{};
}

PHASEWISE_HD double lane_of(double value, int) { return value; }
PHASEWISE_HD double lane_of(Lanes value, int lane) { return value[lane]; }
PHASEWISE_HD void set_lane(double& value, int, double to) { value = to; }
PHASEWISE_HD void set_lane(Lanes& value, int lane, double to) { value[lane] = to; }

// Whether a comparison holds in any lane.
PHASEWISE_HD bool any(bool mask) { return mask; }
PHASEWISE_HD bool any(parallel::Places<double, parallel::lanes> mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask(std::bit_cast<__m512i>(mask), std::bit_cast<__m512i>(mask)) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_pd(std::bit_cast<__m256d>(mask)) != 0;
#else
  bool found = false;
  for (int lane = 0; lane < parallel::lanes; ++lane) found = found || mask[lane] != 0;
  return found;
#endif
}

}  // namespace phasewise::hydro
