// Vectors of `Lanes` reals, of the widths that the processor of the build has, for the kernels of
// quarks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "parallel/macros.hpp"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace phasewise::qcd {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#else
inline constexpr int vector_bytes = 32;
#endif

template <class Real, int Lanes>
struct VectorOf {
  using Index = std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>;
  typedef Real Type __attribute__((vector_size(Lanes * sizeof(Real))));
  typedef Index Places __attribute__((vector_size(Lanes * sizeof(Real))));
};

template <class Real>
struct VectorOf<Real, 1> {
  using Type = Real;
};

template <class Real, int Lanes>
using Vector = typename VectorOf<Real, Lanes>::Type;
template <class Real, int Lanes>
using Places = typename VectorOf<Real, Lanes>::Places;

// a b + c, rounded once.
PHASEWISE_HD double fused(double a, double b, double c) { return std::fma(a, b, c); }
PHASEWISE_HD float fused(float a, float b, float c) { return std::fma(a, b, c); }

using Doubles4 = Vector<double, 4>;
using Floats8 = Vector<float, 8>;

#if defined(__FMA__) && defined(__AVX2__)
PHASEWISE_HD Doubles4 fused(Doubles4 a, Doubles4 b, Doubles4 c) {
  return static_cast<Doubles4>(_mm256_fmadd_pd(a, b, c));
}
PHASEWISE_HD Floats8 fused(Floats8 a, Floats8 b, Floats8 c) {
  return static_cast<Floats8>(_mm256_fmadd_ps(a, b, c));
}
#else
template <class V>
requires(sizeof(V) > sizeof(double)) PHASEWISE_HD V fused(V a, V b, V c) {
  constexpr int lanes = sizeof(V) / sizeof(a[0]);
  for (int lane = 0; lane < lanes; ++lane) c[lane] = std::fma(a[lane], b[lane], c[lane]);
  return c;
}
#endif

#if defined(__AVX512F__)
using Doubles8 = Vector<double, 8>;
using Floats16 = Vector<float, 16>;
PHASEWISE_HD Doubles8 fused(Doubles8 a, Doubles8 b, Doubles8 c) {
  return static_cast<Doubles8>(_mm512_fmadd_pd(a, b, c));
}
PHASEWISE_HD Floats16 fused(Floats16 a, Floats16 b, Floats16 c) {
  return static_cast<Floats16>(_mm512_fmadd_ps(a, b, c));
}
#endif

template <class Real, int Lanes>
PHASEWISE_HD Vector<Real, Lanes> load_vector(const Real* from) {
  Vector<Real, Lanes> value;
  std::memcpy(&value, __builtin_assume_aligned(from, sizeof value), sizeof value);
  return value;
}
template <class Real, int Lanes>
PHASEWISE_HD void store_vector(Real* to, Vector<Real, Lanes> value) {
  std::memcpy(__builtin_assume_aligned(to, sizeof value), &value, sizeof value);
}

// What is done with prefetched data.
enum class Use : std::uint8_t { read, write };

// Prefetches `Count` vectors from `ahead` on, which may lie beyond the data, and returns `value`:
// the compiler would drop a call whose result is not used. Data are prefetched into all caches,
// even if they are used only once: data that bypass the second cache are fetched twice on some
// processors, which takes twice as long as no prefetch.
template <int Count, Use use, class Real, int Lanes, class T>
PHASEWISE_HD T asking_for(const Real* ahead, T value) {
#pragma GCC unroll 24
  for (int i = 0; i < Count; ++i) __builtin_prefetch(ahead + i * Lanes, use == Use::write ? 1 : 0);
  return value;
}

// value[places[lane]] in each lane.
template <class V, class P>
PHASEWISE_HD V permuted(V value, P places) {
#if defined(__clang__)
  V result;
  for (std::size_t lane = 0; lane < sizeof(V) / sizeof(value[0]); ++lane)
    result[lane] = value[places[lane]];
  return result;
#else
  return __builtin_shuffle(value, places);
#endif
}

template <class Real, int Lanes>
PHASEWISE_HD Vector<Real, Lanes> all_lanes(Real value) {
  return value - Vector<Real, Lanes>{};
}
template <class Real, int Lanes>
PHASEWISE_HD Real lane_of(const Vector<Real, Lanes>& value, int lane) {
  if constexpr (Lanes == 1)
    return value;
  else
    return value[lane];
}

// Calls f.operator()<Lanes>() with the lanes that a kernel of this precision may have.
template <class Real, class F>
void with_lanes(int lanes, F&& f) {
  constexpr int most = vector_bytes / static_cast<int>(sizeof(Real));
  if (lanes == 1) return f.template operator()<1>();
  if constexpr (most > 8)
    if (lanes == 8) return f.template operator()<8>();
  f.template operator()<most>();
}

}  // namespace phasewise::qcd
