// Vectors of values for one SIMD instruction, of the widths that the build's processor has.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "parallel/fused.hpp"
#include "parallel/macros.hpp"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace phasewise::parallel {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#else
inline constexpr int vector_bytes = 32;
#endif

template <class Real, int Size>
struct VectorOf {
  using Index = std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>;
  typedef Real Type __attribute__((vector_size(Size * sizeof(Real))));
  typedef Index Places __attribute__((vector_size(Size * sizeof(Real))));
};

template <class Real>
struct VectorOf<Real, 1> {
  using Type = Real;
};

template <class Real, int Size>
using Vector = typename VectorOf<Real, Size>::Type;
template <class Real, int Size>
using Places = typename VectorOf<Real, Size>::Places;

// Vectors for the widest instructions: of doubles, and of twice as many values of single precision.
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(double));
using Lanes = Vector<double, lanes>;
using SingleLanes = Vector<float, 2 * lanes>;

using Doubles2 = Vector<double, 2>;
using Doubles4 = Vector<double, 4>;
using Floats8 = Vector<float, 8>;

#if defined(__FMA__) && defined(__AVX2__)
PHASEWISE_HD Doubles2 fused(Doubles2 a, Doubles2 b, Doubles2 c) {
  return static_cast<Doubles2>(_mm_fmadd_pd(a, b, c));
}
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

// Load from and store to any address.
template <int Size = lanes, class Real>
PHASEWISE_HD Vector<Real, Size> load(const Real* from) {
  Vector<Real, Size> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class Real, class V>
PHASEWISE_HD void store(Real* to, const V& value) {
  std::memcpy(to, &value, sizeof value);
}

// Load from and store to an address that is a multiple of the vector's size.
template <class Real, int Size>
PHASEWISE_HD Vector<Real, Size> load_vector(const Real* from) {
  Vector<Real, Size> value;
  std::memcpy(&value, __builtin_assume_aligned(from, sizeof value), sizeof value);
  return value;
}
template <class Real, int Size>
PHASEWISE_HD void store_vector(Real* to, Vector<Real, Size> value) {
  std::memcpy(__builtin_assume_aligned(to, sizeof value), &value, sizeof value);
}

// What is done with prefetched data.
enum class Use : std::uint8_t { read, write };

// Prefetches `Count` vectors from `ahead` on, which may lie beyond the data, and returns `value`:
// the compiler would drop a call whose result is not used. Data are prefetched into all caches,
// even if they are used only once: data that bypass the second cache are fetched twice on some
// processors, which takes twice as long as no prefetch.
template <int Count, Use use, class Real, int Size, class T>
PHASEWISE_HD T asking_for(const Real* ahead, T value) {
#pragma GCC unroll 24
  for (int i = 0; i < Count; ++i) __builtin_prefetch(ahead + i * Size, use == Use::write ? 1 : 0);
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

// from[index[0]], from[index[1]], …
PHASEWISE_HD Lanes gather(const double* from, const std::int32_t* index) {
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

// Interleave the first halves of two vectors, x[0], y[0], x[1], y[1], …, and the last halves.
#if defined(__AVX512F__)
PHASEWISE_HD Lanes first_in_turn(Lanes x, Lanes y) {
  return __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
}
PHASEWISE_HD Lanes last_in_turn(Lanes x, Lanes y) {
  return __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
}
#else
PHASEWISE_HD Lanes first_in_turn(Lanes x, Lanes y) {
  return __builtin_shufflevector(x, y, 0, 4, 1, 5);
}
PHASEWISE_HD Lanes last_in_turn(Lanes x, Lanes y) {
  return __builtin_shufflevector(x, y, 2, 6, 3, 7);
}
#endif

// A vector of equal values. Subtracting +0 leaves every value as it is, and costs nothing; adding
// +0 would change -0.
template <class Real, int Size>
PHASEWISE_HD Vector<Real, Size> all_lanes(Real value) {
  return value - Vector<Real, Size>{};
}
template <class Real, int Size>
PHASEWISE_HD Real lane_of(const Vector<Real, Size>& value, int lane) {
  if constexpr (Size == 1)
    return value;
  else
    return value[lane];
}

// Calls f.operator()<Size>() with the number of lanes that a kernel of this precision uses: 1, 8 or
// the most.
template <class Real, class F>
void with_lanes(int lanes, F&& f) {
  constexpr int most = vector_bytes / static_cast<int>(sizeof(Real));
  if (lanes == 1) return f.template operator()<1>();
  if constexpr (most > 8)
    if (lanes == 8) return f.template operator()<8>();
  f.template operator()<most>();
}

}  // namespace phasewise::parallel
