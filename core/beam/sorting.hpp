// Sorts a bunch's particles into bins by counting them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "beam/particles.hpp"
#include "exchange/share.hpp"
#include "parallel/loops.hpp"

namespace phasewise::beam {

// Reorders the particles bin by bin and keeps their order within a bin. bin_of gives the bin of
// each particle, in [0, bins). Returns where each bin begins, and the end: bins + 1 numbers.
template <class Bin>
std::vector<std::int64_t> sort_into_bins(Particles& particles, const Bin* bin_of, int bins,
                                         int threads) {
  const ParticleView from = particles.view(), to = particles.spare();
  // place[t][b] is where thread t puts its next particle of bin b.
  std::vector<std::vector<std::int64_t>> place(threads, std::vector<std::int64_t>(bins, 0));
  parallel::for_tasks(threads, threads, [&](int t, int) {
    const auto [begin, end] = exchange::share(from.size, threads, t);
    for (std::int64_t i = begin; i < end; ++i) ++place[t][bin_of[i]];
  });
  std::vector<std::int64_t> begins(bins + 1, 0);
  std::int64_t next = 0;
  for (int b = 0; b < bins; ++b) {
    begins[b] = next;
    for (int t = 0; t < threads; ++t) next += std::exchange(place[t][b], next);
  }
  begins[bins] = next;
  parallel::for_tasks(threads, threads, [&](int t, int) {
    const auto [begin, end] = exchange::share(from.size, threads, t);
    std::vector<std::int64_t>& at = place[t];
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t k = at[bin_of[i]]++;
      store(to, k, load(from, i));
      to.id[k] = from.id[i];
    }
  });
  particles.swap();
  return begins;
}

}  // namespace phasewise::beam
