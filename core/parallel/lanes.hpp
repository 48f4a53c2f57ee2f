// Values that one SIMD instruction works on, as wide as the processor of the build has them.
#pragma once

#include <cmath>
#include <cstring>

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

namespace phasewise::parallel {

#if defined(__AVX512F__)
inline constexpr int lanes = 8;
#else
inline constexpr int lanes = 4;
#endif
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));

// a b + c, rounded once. The core is compiled without contraction, so it is written out.
inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) {
#if defined(__AVX512F__)
  return static_cast<Lanes>(_mm512_fmadd_pd(a, b, c));
#elif defined(__FMA__)
  return static_cast<Lanes>(_mm256_fmadd_pd(a, b, c));
#else
  for (int lane = 0; lane < lanes; ++lane) c[lane] = std::fma(a[lane], b[lane], c[lane]);
  return c;
#endif
}

// Minus zeros, and not plus: that leaves every value as it is, and costs nothing.
inline Lanes all_lanes(double value) { return value - Lanes{}; }

// From and to any address.
inline Lanes load(const double* from) {
  Lanes value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
inline void store(double* to, Lanes value) { std::memcpy(to, &value, sizeof value); }

}  // namespace phasewise::parallel
