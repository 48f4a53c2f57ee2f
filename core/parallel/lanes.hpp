// Values that one SIMD instruction works on, as wide as the processor of the build allows.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace phasewise::parallel {

#if defined(__AVX512F__)
inline constexpr int lanes = 8;
#else
inline constexpr int lanes = 4;
#endif
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));

// a b + c, rounded once. It is written out because the core is compiled without contraction.
inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) {
#if defined(__AVX512F__)
  return static_cast<Lanes>(_mm512_fmadd_pd(a, b, c));
#elif defined(__FMA__) && defined(__AVX2__)
  return static_cast<Lanes>(_mm256_fmadd_pd(a, b, c));
#else
  for (int lane = 0; lane < lanes; ++lane) c[lane] = std::fma(a[lane], b[lane], c[lane]);
  return c;
#endif
}

// Twice as many values of single precision.
using SingleLanes = float __attribute__((vector_size(2 * lanes * sizeof(float))));
inline SingleLanes multiply_add(SingleLanes a, SingleLanes b, SingleLanes c) {
#if defined(__AVX512F__)
  return static_cast<SingleLanes>(_mm512_fmadd_ps(a, b, c));
#elif defined(__FMA__) && defined(__AVX2__)
  return static_cast<SingleLanes>(_mm256_fmadd_ps(a, b, c));
#else
  for (int lane = 0; lane < 2 * lanes; ++lane) c[lane] = std::fma(a[lane], b[lane], c[lane]);
  return c;
#endif
}

// Subtracting +0 leaves every value as it is, and costs nothing; adding +0 would change -0.
inline Lanes all_lanes(double value) { return value - Lanes{}; }

// The first halves of two vectors, with values of each in turn, and the last halves likewise.
#if defined(__AVX512F__)
inline Lanes first_in_turn(Lanes x, Lanes y) {
  return __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
}
inline Lanes last_in_turn(Lanes x, Lanes y) {
  return __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
}
#else
inline Lanes first_in_turn(Lanes x, Lanes y) { return __builtin_shufflevector(x, y, 0, 4, 1, 5); }
inline Lanes last_in_turn(Lanes x, Lanes y) { return __builtin_shufflevector(x, y, 2, 6, 3, 7); }
#endif

// Load from and store to any address.
inline Lanes load(const double* from) {
  Lanes value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
inline void store(double* to, Lanes value) { std::memcpy(to, &value, sizeof value); }

// from[index[0]], from[index[1]], …
inline Lanes gather(const double* from, const std::int32_t* index) {
#if defined(__AVX512F__)
  __m256i places;
  std::memcpy(&places, index, sizeof places);
  const __m512d none = _mm512_setzero_pd();
  return static_cast<Lanes>(_mm512_mask_i32gather_pd(none, 0xff, places, from, sizeof(double)));
#elif defined(__AVX2__)
  __m128i places;
  std::memcpy(&places, index, sizeof places);
  return static_cast<Lanes>(_mm256_i32gather_pd(from, places, sizeof(double)));
#else
  Lanes value;
  for (int lane = 0; lane < lanes; ++lane) value[lane] = from[index[lane]];
  return value;
#endif
}

}  // namespace phasewise::parallel
