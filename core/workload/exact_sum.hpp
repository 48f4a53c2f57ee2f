// Sums of many terms whose bits do not depend on ranks or threads, made by one call of the
// library: the bound on the terms is known beforehand, and is the same on all ranks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "numerics/order_free_sum.hpp"
#include "parallel/loops.hpp"

namespace phasewise::workload {

// What a rank adds to such a sum: 16 bytes per value.
using Parts = std::array<double, 2>;

// The sum over i < count of term(i), of magnitude at most `bound`; all ranks have `all` terms
// together.
template <class F>
Parts exact_sum(std::int64_t count, int threads, double bound, std::int64_t all, F&& term) {
  const numerics::OrderFreeGrid grid(bound, all);
  const std::int64_t blocks = (count + parallel::block_size - 1) / parallel::block_size;
  std::vector<numerics::OrderFreeSum> of_block(static_cast<std::size_t>(blocks));
  parallel::for_blocks(count, threads, [&](std::int64_t begin, int n, int) {
    numerics::OrderFreeSum sum;
    for (std::int64_t i = begin; i < begin + n; ++i) sum.add(term(i), grid);
    of_block[static_cast<std::size_t>(begin / parallel::block_size)] = sum;
  });
  Parts parts{};
  for (const numerics::OrderFreeSum& sum : of_block) {
    parts[0] += sum.high;
    parts[1] += sum.low;
  }
  return parts;
}

inline double value_of(const Parts& parts) { return parts[0] + parts[1]; }

}  // namespace phasewise::workload
