// Sums of doubles without any rounding before the last: every finite double is a whole number of
// 2^-1074, and a fixed-point number of 66 digits of 32 bits holds the sum of 2^45 of the largest
// ones (Kulisch, "Computer Arithmetic and Validity", 2008; Collange, Defour, Graillat, Iakymchuk,
// Parallel Computing 49 (2015) 83). The result depends neither on the order of the terms nor on how
// they are distributed.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace phasewise::numerics {

class LongAccumulator {
 public:
  // `digits` writes a sum as whole numbers below 2^32: the digits, the lowest first and the last
  // one with the sign, then how many of the terms were +inf, -inf and nan. As doubles they add up
  // exactly, in any order, over 2^20 ranks.
  static constexpr int limbs = 66, size = limbs + 3;

  void add(double term);
  // The same as adding the terms one by one, and faster.
  void add(std::span<const double> terms);
  void add(const LongAccumulator& other);

  // Writes the digits into `to`, which has `size` places.
  void digits(std::span<double> to);
  // The sum that added-up digits represent.
  static LongAccumulator of(std::span<const double> digits);

  // The double nearest to the sum, ties to even; an infinity if it lies beyond the largest double;
  // nan if a term was nan or infinities of both signs met.
  double value() const;

 private:
  void carry();

  std::array<std::int64_t, limbs> limb_{};
  std::array<std::int64_t, 3> special_{};  // terms that were +inf, -inf, nan
  std::int64_t free_ = most_terms;         // terms that can be added before a limb may overflow
  // A term adds less than 2^32 to a limb, which holds 2^63 and already what a carry has left.
  static constexpr std::int64_t most_terms = std::int64_t{1} << 30;
};

}  // namespace phasewise::numerics
