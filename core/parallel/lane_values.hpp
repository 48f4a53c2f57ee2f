// Functions on a double, or on the lanes of a vector. A lane has the bits that the double would
// have.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "parallel/simd.hpp"

namespace phasewise::parallel {

template <class V>
inline constexpr int lanes_of = static_cast<int>(sizeof(V) / sizeof(double));
template <>
inline constexpr int lanes_of<double> = 1;

// The same value in each lane.
template <class V>
PHASEWISE_HD V all_of(double value) {
  return value - V{};
}

// One value from memory, or one for each lane.
template <class V>
PHASEWISE_HD V loaded(const double* from) {
  if constexpr (lanes_of<V> == 1)
    return *from;
  else
    return load<lanes_of<V>>(from);
}
PHASEWISE_HD void stored(double* to, double value) { *to = value; }
PHASEWISE_HD void stored(double* to, Lanes value) { store(to, value); }

PHASEWISE_HD double lane_of(double value, int) { return value; }
PHASEWISE_HD double lane_of(Lanes value, int lane) { return value[lane]; }
PHASEWISE_HD void set_lane(double& value, int, double to) { value = to; }
PHASEWISE_HD void set_lane(Lanes& value, int lane, double to) { value[lane] = to; }

PHASEWISE_HD double square_root(double a) { return std::sqrt(a); }
PHASEWISE_HD double magnitude(double a) { return std::fabs(a); }
PHASEWISE_HD Lanes magnitude(Lanes a) {
  using Bits = Places<double, lanes>;
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
PHASEWISE_HD Lanes square_root(Lanes a) { return static_cast<Lanes>(_mm512_sqrt_pd(a)); }
PHASEWISE_HD Lanes smaller(Lanes a, Lanes b) { return static_cast<Lanes>(_mm512_min_pd(a, b)); }
PHASEWISE_HD Lanes larger(Lanes a, Lanes b) { return static_cast<Lanes>(_mm512_max_pd(a, b)); }
#elif defined(__AVX2__)
PHASEWISE_HD Lanes square_root(Lanes a) { return static_cast<Lanes>(_mm256_sqrt_pd(a)); }
PHASEWISE_HD Lanes smaller(Lanes a, Lanes b) { return static_cast<Lanes>(_mm256_min_pd(a, b)); }
PHASEWISE_HD Lanes larger(Lanes a, Lanes b) { return static_cast<Lanes>(_mm256_max_pd(a, b)); }
#else
PHASEWISE_HD Lanes square_root(Lanes a) {
  for (int lane = 0; lane < lanes; ++lane) a[lane] = std::sqrt(a[lane]);
  return a;
}
#endif

// A bit for each lane, set where a comparison holds.
PHASEWISE_HD unsigned bits_of(bool mask) { return mask ? 1u : 0u; }
PHASEWISE_HD unsigned bits_of(Places<double, lanes> mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask(std::bit_cast<__m512i>(mask), std::bit_cast<__m512i>(mask));
#elif defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_pd(std::bit_cast<__m256d>(mask)));
#else
  unsigned bits = 0;
  for (int lane = 0; lane < lanes; ++lane) bits |= (mask[lane] != 0 ? 1u : 0u) << lane;
  return bits;
#endif
}
// Whether a comparison holds in any lane.
PHASEWISE_HD bool any(bool mask) { return mask; }
PHASEWISE_HD bool any(Places<double, lanes> mask) { return bits_of(mask) != 0; }

}  // namespace phasewise::parallel
