#include "workload/global_sum.hpp"

#include <stdexcept>
#include <string>

namespace phasewise::workload {
namespace {

using numerics::LongAccumulator;

// The number of digits; throws std::logic_error if there are too many sums.
std::int64_t places_of(int sums) {
  if (sums < 1 || sums > most_global_sums)
    throw std::logic_error("a global sum is of 1 to " + std::to_string(most_global_sums) +
                           " numbers");
  return std::int64_t{sums} * LongAccumulator::size;
}

template <class T>
std::span<T> digits_of(std::span<T> all, int sum) {
  return all.subspan(static_cast<std::size_t>(sum) * LongAccumulator::size, LongAccumulator::size);
}

}  // namespace

GlobalSum::GlobalSum(const SumSetting& setting, const exchange::TeamPointer& team,
                     std::span<const int> nodes, int sums)
    : sums_(sums), sum_(setting, team, nodes, places_of(sums)) {}

void GlobalSum::run(Listener& listener, std::span<LongAccumulator> parts, std::span<double> sums) {
  start(listener, parts, true);
  finish(listener, sums);
}

void GlobalSum::start(Listener& listener, std::span<LongAccumulator> parts, bool blocking) {
  for (int i = 0; i < sums_; ++i) parts[i].digits(digits_of(sum_.own(), i));
  sum_.start(listener, blocking);
}

void GlobalSum::finish(Listener& listener, std::span<double> sums) {
  const std::span<const double> found = sum_.finish(listener);
  for (int i = 0; i < sums_; ++i) sums[i] = LongAccumulator::of(digits_of(found, i)).value();
}

}  // namespace phasewise::workload
