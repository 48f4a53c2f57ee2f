// Functions on a value of one column, a double, or on those of several columns, one in each lane of
// a vector. A lane has the bits that the double would have.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "parallel/simd.hpp"

namespace phasewise::atmosphere {

using parallel::fused;
using parallel::Lanes;

template <class V>
inline constexpr int lanes_of = static_cast<int>(sizeof(V) / sizeof(double));

template <class V>
PHASEWISE_HD V all_of(double value) {
  return value - V{};
}
template <class V>
PHASEWISE_HD V fused(V a, double b, V c) {
  return fused(a, all_of<V>(b), c);
}

PHASEWISE_HD double lane_of(double value, int) { return value; }
PHASEWISE_HD double lane_of(Lanes value, int lane) { return value[lane]; }
PHASEWISE_HD void set_lane(double& value, int, double to) { value = to; }
PHASEWISE_HD void set_lane(Lanes& value, int lane, double to) { value[lane] = to; }

PHASEWISE_HD double square_root(double a) { return std::sqrt(a); }
PHASEWISE_HD double magnitude(double a) { return std::fabs(a); }
PHASEWISE_HD double smaller(double a, double b) { return a < b ? a : b; }
PHASEWISE_HD double larger(double a, double b) { return a > b ? a : b; }
PHASEWISE_HD bool any(bool mask) { return mask; }
PHASEWISE_HD unsigned bits_of(bool mask) { return mask ? 1u : 0u; }

PHASEWISE_HD Lanes magnitude(Lanes a) {
  using Bits = parallel::Places<double, parallel::lanes>;
  return std::bit_cast<Lanes>(std::bit_cast<Bits>(a) & std::int64_t{0x7fffffffffffffff});
}

// A bit for each lane, set where the comparison holds.
PHASEWISE_HD unsigned bits_of(parallel::Places<double, parallel::lanes> mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask(std::bit_cast<__m512i>(mask), std::bit_cast<__m512i>(mask));
#elif defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_pd(std::bit_cast<__m256d>(mask)));
#else
  unsigned bits = 0;
  for (int lane = 0; lane < parallel::lanes; ++lane) bits |= (mask[lane] != 0 ? 1u : 0u) << lane;
  return bits;
#endif
}
PHASEWISE_HD bool any(parallel::Places<double, parallel::lanes> mask) { return bits_of(mask) != 0; }

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
  for (int lane = 0; lane < parallel::lanes; ++lane) a[lane] = std::sqrt(a[lane]);
  return a;
}
PHASEWISE_HD Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
PHASEWISE_HD Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }
#endif

template <class V>
PHASEWISE_HD V loaded(const double* from) {
  if constexpr (lanes_of<V> == 1)
    return *from;
  else
    return parallel::load<lanes_of<V>>(from);
}
PHASEWISE_HD void stored(double* to, double value) { *to = value; }
PHASEWISE_HD void stored(double* to, Lanes value) { parallel::store(to, value); }

// e^x = scale (1 + beyond_one), |ln(1 + beyond_one)| <= ½ ln 2, for |x| <= 708.
template <class V>
struct Exponential {
  V scale, beyond_one;
};

// Unlike numerics::exp_real it gives e^x - 1 to rounding of itself, needs no division and takes
// vectors. The polynomial interpolates (e^r - 1 - r)/r² at Chebyshev's points; its error is 4e-17.
template <class V>
PHASEWISE_HD Exponential<V> exponential(V x) {
  using Bits = decltype(V{} < V{});
  constexpr double inverse_ln2 = 1.44269504088896338700e+00;
  constexpr double ln2_high = 6.93147180369123816490e-01;
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr double rounding_offset = 0x1.8p52;  // adding it rounds to integers
  const V shifted = fused(x, inverse_ln2, all_of<V>(rounding_offset));
  const V n = shifted - rounding_offset;
  const V r = fused(n, -ln2_low, fused(n, -ln2_high, x));
  V p = all_of<V>(2.5100397137931663e-08);
  p = fused(p, r, all_of<V>(2.762010358488696e-07));
  p = fused(p, r, all_of<V>(2.755726843551756e-06));
  p = fused(p, r, all_of<V>(2.4801521264122017e-05));
  p = fused(p, r, all_of<V>(0.00019841269863069374));
  p = fused(p, r, all_of<V>(0.0013888888917234206));
  p = fused(p, r, all_of<V>(0.008333333333330058));
  p = fused(p, r, all_of<V>(0.04166666666662409));
  p = fused(p, r, all_of<V>(0.16666666666666669));
  p = fused(p, r, all_of<V>(0.5));
  const V beyond_one = fused(r * r, p, r);
  if constexpr (lanes_of<V> == 1) {
    const auto bits = std::bit_cast<std::uint64_t>(shifted);
    return {std::bit_cast<V>((bits + 1023) << 52), beyond_one};
  } else {
    const auto bits = std::bit_cast<Bits>(shifted);
    return {std::bit_cast<V>((bits + 1023) << 52), beyond_one};
  }
}

// What a path of optical thickness x >= 0 absorbs: 1 - e^-x, to rounding for thin paths too.
template <class V>
PHASEWISE_HD V absorbed(V x) {
  const auto [scale, beyond_one] = exponential<V>(-smaller(x, all_of<V>(708.0)));
  return fused(-scale, beyond_one, 1.0 - scale);
}

}  // namespace phasewise::atmosphere
