// Sums over all ranks whose bits do not depend on ranks or threads, with two doubles for each: the
// terms are bounded before a sum is made, without a maximum over the ranks
// (numerics/order_free_sum.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "parallel/kernel.hpp"
#include "workload/team_sum.hpp"

namespace phasewise::workload {

// What a rank adds to some sums: the high and the low part of each.
template <int Number>
using PartialSums = std::array<std::array<double, 2>, Number>;
template <int Number>
using Bounds = std::array<double, Number>;  // bound on the magnitude of each term

// Rounding alone can exceed a bound; this factor leaves room for it, in single precision too.
inline constexpr double bound_room = 1.001;

// Whether the bits depend on the ranks (library: parts are rounded to one double first).
enum class Sums : std::uint8_t { order_free, library };

template <int Number>
std::array<double, Number> values_of(std::span<const double> parts) {
  std::array<double, Number> values;
  for (int i = 0; i < Number; ++i) values[i] = parts[2 * i] + parts[2 * i + 1];
  return values;
}

// By the library. Each bound holds for a whole sum of magnitudes, and therefore for each term.
// part(bounds) is what this rank adds.
template <int Number, class F>
std::array<double, Number> bounded_sums(std::string_view phase, const parallel::KernelCard& card,
                                        double items, Bounds<Number> bounds, Sums sums,
                                        Listener& listener, F&& part) {
  PartialSums<Number> parts{};
  for (double& bound : bounds) bound *= bound_room;
  listener.kernel(card, items, [&] { parts = part(bounds); });
  if (sums == Sums::library)
    for (auto& [high, low] : parts) {
      high += low;
      low = 0.0;
    }
  const std::span<double> all(parts.front().data(), 2 * Number);
  listener.sum(phase, all);
  return values_of<Number>(all);
}

// The same sums by any algorithm, with any protocol that adds. They can be under way while a rank
// computes.
template <int Number>
class BoundedSums {
 public:
  BoundedSums(const SumSetting& setting, const exchange::TeamPointer& team,
              std::span<const int> nodes)
      : sum_(setting, team, nodes, 2 * Number) {}

  exchange::Exchanges exchanges() const { return sum_.exchanges(); }

  // `parts` is what this rank adds.
  void start(const PartialSums<Number>& parts, Listener& listener) {
    put(parts);
    sum_.start(listener, false);
  }
  void progress(Listener& listener) const { sum_.progress(listener); }
  // The sums have no meaning if the listener does not run the turn.
  std::array<double, Number> finish(Listener& listener) {
    return values_of<Number>(sum_.finish(listener));
  }
  // Sums what part(bounds) adds. Each bound holds for a whole sum of magnitudes.
  template <class F>
  std::array<double, Number> run(const parallel::KernelCard& card, double items,
                                 Bounds<Number> bounds, Listener& listener, F&& part) {
    PartialSums<Number> parts{};
    for (double& bound : bounds) bound *= bound_room;
    listener.kernel(card, items, [&] { parts = part(bounds); });
    put(parts);
    sum_.start(listener, true);
    return finish(listener);
  }

 private:
  void put(const PartialSums<Number>& parts) {
    for (int i = 0; i < 2 * Number; ++i) sum_.own()[i] = parts[i / 2][i % 2];
  }

  TeamSum sum_;
};

}  // namespace phasewise::workload
