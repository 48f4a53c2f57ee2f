// Functions on a value of one column, a double, or on those of several columns, one in each lane of
// a vector. A lane has the bits that the double would have.
#pragma once

#include <bit>
#include <cstdint>

#include "parallel/lane_values.hpp"

namespace phasewise::atmosphere {

using parallel::all_of;
using parallel::any;
using parallel::bits_of;
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

template <class V>
PHASEWISE_HD V fused(V a, double b, V c) {
  return parallel::fused(a, all_of<V>(b), c);
}

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
