// Sine and cosine, arcsine, logarithm and exponential without branches, so that loops over them
// vectorise and give the same bits on every machine. Errors stay below 2 units in the last place;
// those of the arcsine just above 1/2 stay below 3.
//
// The minimax polynomials are those of fdlibm (Sun Microsystems, 1993). A NaN argument gives NaN.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "numerics/constants.hpp"
#include "parallel/macros.hpp"

namespace phasewise::numerics {

// sin and cos of 2πq; exact reduction for |q| < 2^49.
PHASEWISE_HD void sincos_turns(double q, double& sine, double& cosine) {
  constexpr double rounding_offset = 0x1.8p50;  // adding it rounds to multiples of a quarter turn
  const double shifted = q + rounding_offset;
  const std::uint64_t quadrant = std::bit_cast<std::uint64_t>(shifted);
  const double a = two_pi * (q - (shifted - rounding_offset));  // within ±π/4
  const double a2 = a * a;
  const double sine_tail =
      a2 * (8.33333333332248946124e-03 +
            a2 * (-1.98412698298579493134e-04 +
                  a2 * (2.75573137070700676789e-06 +
                        a2 * (-2.50507602534068634195e-08 + a2 * 1.58969099521155010221e-10))));
  const double s = a + a * a2 * (-1.66666666666666324348e-01 + sine_tail);
  const double cosine_tail =
      a2 *
      (4.16666666666666019037e-02 +
       a2 * (-1.38888888888741095749e-03 +
             a2 * (2.48015872894767294178e-05 +
                   a2 * (-2.75573143513906633035e-07 +
                         a2 * (2.08757232129817482790e-09 - a2 * 1.13596475577881948265e-11)))));
  const double half = 0.5 * a2;
  const double head = 1.0 - half;
  const double c = head + (((1.0 - head) - half) + a2 * cosine_tail);
  const std::uint64_t odd = std::uint64_t{0} - (quadrant & 1);  // all ones: swap sine and cosine
  const std::uint64_t s_bits = std::bit_cast<std::uint64_t>(s);
  const std::uint64_t c_bits = std::bit_cast<std::uint64_t>(c);
  const std::uint64_t changed = (s_bits ^ c_bits) & odd;
  sine = std::bit_cast<double>((s_bits ^ changed) ^ ((quadrant & 2) << 62));
  cosine = std::bit_cast<double>((c_bits ^ changed) ^ (((quadrant + 1) & 2) << 62));
}

// Arcsine of a value within [-1, 1]; NaN outside.
PHASEWISE_HD double arcsine(double value) {
  constexpr double half_pi = 1.57079632679489661923;
  // asin(w) = w + w R(w²) up to w = 1/2, and π/2 - 2 asin(sqrt((1 - w)/2)) beyond.
  const double magnitude = std::fabs(value);
  const bool near = magnitude < 0.5;
  const double half_rest = 0.5 * (1.0 - magnitude);
  const double t = near ? magnitude * magnitude : half_rest;
  const double w = near ? magnitude : std::sqrt(half_rest);
  const double p =
      t * (1.66666666666666657415e-01 +
           t * (-3.25565818622400915405e-01 +
                t * (2.01212532134862925881e-01 +
                     t * (-4.00555345006794114027e-02 +
                          t * (7.91534994289814532176e-04 + t * 3.47933107596021167570e-05)))));
  const double q =
      1.0 + t * (-2.40339491173441421878e+00 +
                 t * (2.02094576023350569471e+00 +
                      t * (-6.88283971605453293030e-01 + t * 7.70381505559019352791e-02)));
  const double angle = w + w * (p / q);
  return std::copysign(near ? angle : half_pi - 2.0 * angle, value);
}

// Natural logarithm of a positive normal number.
PHASEWISE_HD double log_positive(double value) {
  constexpr double ln2_high = 6.93147180369123816490e-01;
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr std::uint64_t sqrt_half = 0x3FE6A09E667F3BCDu;
  constexpr std::uint64_t mantissa_mask = 0x000FFFFFFFFFFFFFu;
  // value = 2^k (1 + f) with 1 + f within [sqrt(1/2), sqrt(2)).
  const std::uint64_t bits =
      std::bit_cast<std::uint64_t>(value) + (0x3FF0000000000000u - sqrt_half);
  const double f = std::bit_cast<double>((bits & mantissa_mask) + sqrt_half) - 1.0;
  // 2^52 + the biased exponent, read as a double, converts the integer without an instruction that
  // only some machines have.
  const double k = std::bit_cast<double>((bits >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double w = z * z;
  const double even = w * (3.999999999940941908e-01 +
                           w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd = z * (6.666666666666735130e-01 +
                          w * (2.857142874366239149e-01 +
                               w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double half_square = 0.5 * f * f;
  return k * ln2_high - ((half_square - (s * (half_square + (even + odd)) + k * ln2_low)) - f);
}

// The exponential; it is 0 below -745.2, and clamped to the largest exponent above 709.78.
PHASEWISE_HD double exp_real(double value) {
  constexpr double inverse_ln2 = 1.44269504088896338700e+00;
  constexpr double ln2_high = 6.93147180369123816490e-01;
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr double rounding_offset = 0x1.8p52;  // adding it rounds to integers
  const double capped = value > 709.78 ? 709.78 : value;
  const double x = capped < -746.0 ? -746.0 : capped;
  const double shifted = x * inverse_ln2 + rounding_offset;
  const double n = shifted - rounding_offset;
  const double high = x - n * ln2_high;
  const double low = n * ln2_low;
  const double r = high - low;
  const double t = r * r;
  const double c =
      r - t * (1.66666666666666019037e-01 +
               t * (-2.77777777770155933842e-03 +
                    t * (6.61375632143793436117e-05 +
                         t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  const double y = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
  // 2^n is made of two factors, since 2^n alone may not be a normal number.
  const double half_shifted = 0.5 * n + rounding_offset;
  const double half = half_shifted - rounding_offset;
  const double rest_shifted = (n - half) + rounding_offset;
  const std::uint64_t scale1 = (std::bit_cast<std::uint64_t>(half_shifted) + 1023) << 52;
  const std::uint64_t scale2 = (std::bit_cast<std::uint64_t>(rest_shifted) + 1023) << 52;
  return y * std::bit_cast<double>(scale1) * std::bit_cast<double>(scale2);
}

}  // namespace phasewise::numerics
