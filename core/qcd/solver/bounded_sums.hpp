// A solver's sums over all ranks, in one call of the library: the terms of each sum are bounded
// before it is made, without a maximum over the ranks.
#pragma once

#include <string_view>

#include "qcd/manner.hpp"
#include "qcd/solver/field_sums.hpp"
#include "workload/listener.hpp"

namespace phasewise::qcd {

// Rounding alone can exceed a bound; this factor leaves room for it, in single precision too.
inline constexpr double bound_room = 1.001;

// Each bound holds for a whole sum of magnitudes, and therefore for each term. part(bounds) is what
// this rank adds.
template <int Number, class F>
std::array<double, Number> bounded_sums(std::string_view phase, const parallel::KernelCard& card,
                                        double items, Bounds<Number> bounds, Sums sums,
                                        workload::Listener& listener, F&& part) {
  PartialSums<Number> parts{};
  for (double& bound : bounds) bound *= bound_room;
  listener.kernel(card, items, [&] { parts = part(bounds); });
  if (sums == Sums::library)
    for (auto& [high, low] : parts) {
      high += low;
      low = 0.0;
    }
  listener.sum(phase, std::span(parts.front().data(), 2 * Number));
  std::array<double, Number> values;
  for (int i = 0; i < Number; ++i) values[i] = parts[i][0] + parts[i][1];
  return values;
}

}  // namespace phasewise::qcd
