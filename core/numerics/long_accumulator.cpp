#include "numerics/long_accumulator.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace phasewise::numerics {
namespace {

constexpr int digit_bits = 32;
constexpr std::int64_t radix = std::int64_t{1} << digit_bits;
constexpr int mantissa_bits = 52;
constexpr int lowest_exponent = -1074;  // that of the lowest digit's unit

enum Special { plus_infinity, minus_infinity, not_a_number };

}  // namespace

void LongAccumulator::add(double term) {
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const auto biased = static_cast<int>(bits >> mantissa_bits & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
  const bool negative = bits >> 63 != 0;
  if (biased == 0x7ff) {
    ++special_[mantissa != 0 ? not_a_number : negative ? minus_infinity : plus_infinity];
    return;
  }
  if (biased > 0) mantissa |= std::uint64_t{1} << mantissa_bits;
  if (free_ == 0) carry();
  --free_;
  const int shift = biased > 0 ? biased - 1 : 0;  // in units of 2^-1074
  const int first = shift / digit_bits;
  __extension__ using Wide = unsigned __int128;
  Wide wide = static_cast<Wide>(mantissa) << (shift % digit_bits);
  // 53 bits that begin anywhere in a digit reach into the next two digits.
  for (int i = 0; i < 3 && wide != 0; ++i, wide >>= digit_bits) {
    const auto part = static_cast<std::int64_t>(static_cast<std::uint64_t>(wide) & (radix - 1));
    limb_[first + i] += negative ? -part : part;
  }
}

void LongAccumulator::add(const LongAccumulator& other) {
  LongAccumulator term = other;
  term.carry();
  if (free_ == 0) carry();
  --free_;
  for (int i = 0; i < limbs; ++i) limb_[i] += term.limb_[i];
  for (std::size_t i = 0; i < special_.size(); ++i) special_[i] += other.special_[i];
}

// Leaves 0 … 2^32 - 1 in all limbs except the last one, which has the sign.
void LongAccumulator::carry() {
  for (int i = 0; i + 1 < limbs; ++i) {
    limb_[i + 1] += limb_[i] >> digit_bits;
    limb_[i] &= radix - 1;
  }
  free_ = most_terms;
}

void LongAccumulator::digits(std::span<double> to) {
  carry();
  for (int i = 0; i < limbs; ++i) to[i] = static_cast<double>(limb_[i]);
  for (std::size_t i = 0; i < special_.size(); ++i)
    to[limbs + i] = static_cast<double>(special_[i]);
}

LongAccumulator LongAccumulator::of(std::span<const double> digits) {
  LongAccumulator result;
  for (int i = 0; i < limbs; ++i) result.limb_[i] = static_cast<std::int64_t>(digits[i]);
  for (std::size_t i = 0; i < result.special_.size(); ++i)
    result.special_[i] = static_cast<std::int64_t>(digits[limbs + i]);
  result.carry();
  return result;
}

double LongAccumulator::value() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (special_[not_a_number] > 0 || (special_[plus_infinity] > 0 && special_[minus_infinity] > 0))
    return std::numeric_limits<double>::quiet_NaN();
  if (special_[plus_infinity] > 0) return infinity;
  if (special_[minus_infinity] > 0) return -infinity;

  LongAccumulator sum = *this;
  sum.carry();
  const bool negative = sum.limb_[limbs - 1] < 0;
  if (negative) {
    for (std::int64_t& limb : sum.limb_) limb = -limb;
    sum.carry();
  }
  int top = limbs - 1;
  while (top >= 0 && sum.limb_[top] == 0) --top;
  if (top < 0) return 0.0;

  // The highest 64 bits of the sum, and whether any bit below them is set.
  const auto limb_at = [&](int i) {
    return i < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(sum.limb_[i]);
  };
  const int length = std::bit_width(limb_at(top));
  std::int64_t exponent = std::int64_t{digit_bits} * top + length;  // of the bit above the highest
  std::uint64_t high = limb_at(top) << (64 - length);
  bool below = false;
  int filled = length, next = top - 1;
  for (; filled < 64 && next >= 0; --next, filled += digit_bits) {
    const int place = 64 - filled - digit_bits;
    high |= place >= 0 ? limb_at(next) << place : limb_at(next) >> -place;
    if (place < 0) below = (limb_at(next) & ((std::uint64_t{1} << -place) - 1)) != 0;
  }
  for (; next >= 0; --next) below = below || limb_at(next) != 0;

  // Subnormal numbers and others below 2^53 units keep all their bits; larger ones are rounded to
  // 53 bits.
  constexpr int dropped = 64 - 53;
  if (exponent > 53) {
    const std::uint64_t rest = high & ((std::uint64_t{1} << dropped) - 1);
    constexpr std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    high >>= dropped;
    if (rest > half || (rest == half && (below || (high & 1) != 0))) ++high;
    exponent -= 53;
  } else {
    high >>= 64 - exponent;
    exponent = 0;
  }
  const double magnitude =
      std::ldexp(static_cast<double>(high), static_cast<int>(exponent) + lowest_exponent);
  return negative ? -magnitude : magnitude;
}

}  // namespace phasewise::numerics
