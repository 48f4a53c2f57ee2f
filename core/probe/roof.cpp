#include "probe/roof.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "parallel/buffer.hpp"
#include "parallel/loops.hpp"
#include "parallel/simd.hpp"

namespace phasewise::probe {
namespace {

// The seconds of each pass, in ascending order.
template <class F>
std::vector<double> sorted_seconds(int passes, F&& f) {
  std::vector<double> seconds(passes);
  for (double& one : seconds) {
    const auto start = std::chrono::steady_clock::now();
    f();
    one = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

template <class F>
double best_seconds(int passes, F&& f) {
  return sorted_seconds(passes, f).front();
}

// STREAM's triad on three arrays of n values.
class Triad {
 public:
  Triad(int threads, std::int64_t n) : threads_(threads), n_(n), a_(n), b_(n), c_(n) {
    each([&](std::int64_t i) { a_[i] = b_[i] = c_[i] = 1.0; });
  }
  void pass() {
    each([&](std::int64_t i) { a_[i] = b_[i] + 3.0 * c_[i]; });
  }
  double bytes() const { return 3.0 * sizeof(double) * static_cast<double>(n_); }

 private:
  template <class F>
  void each(F&& f) {
    parallel::for_tasks(threads_, threads_, [&](int t, int) {
      for (std::int64_t i = n_ * t / threads_; i < n_ * (t + 1) / threads_; ++i) f(i);
    });
  }

  int threads_;
  std::int64_t n_;
  parallel::Buffer<double> a_, b_, c_;
};

double triad_bandwidth(int threads) {
  Triad triad(threads, std::int64_t{1} << 24);  // 3 × 128 MiB, beyond any cache
  return triad.bytes() / best_seconds(5, [&] { triad.pass(); });
}

// The bytes per second of f(a, b, n), which moves `arrays` arrays of n values. Each thread has two
// arrays; those of all threads together have `bytes`.
template <class F>
double loop_bandwidth(int threads, std::int64_t bytes, int arrays, F&& f) {
  constexpr std::int64_t least = std::int64_t{1}
                                 << 24;  // bytes of a thread in a pass: milliseconds
  const std::int64_t size = std::max<std::int64_t>(bytes / (16 * threads), 8);
  const std::int64_t repeats = std::max<std::int64_t>(least / (16 * size), 1);
  std::vector<parallel::Buffer<double>> a(threads), b(threads);
  parallel::for_tasks(threads, threads, [&](int t, int) {
    a[t] = parallel::Buffer<double>(size);
    b[t] = parallel::Buffer<double>(size);
    std::fill_n(a[t].data(), size, 1.0);
    std::fill_n(b[t].data(), size, 1.0);
  });
  const double seconds = best_seconds(7, [&] {
    parallel::for_tasks(threads, threads, [&](int t, int) {
      for (std::int64_t k = 0; k < repeats; ++k) f(a[t].data(), b[t].data(), size);
    });
  });
  const double values = static_cast<double>(size) * static_cast<double>(repeats);
  return sizeof(double) * arrays * values * threads / seconds;
}

// Neither function is inlined, so that repeating them does not change their loops.
[[gnu::noinline]] void update(double* a, double* b, std::int64_t n) {
  for (double* array : {a, b})
    for (std::int64_t i = 0; i < n; ++i) array[i] = 1.0 - array[i];
}

[[gnu::noinline]] void add(double* a, double* b, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) a[i] += 3.0 * b[i];
}

// Independent fused multiply-adds on values that stay in registers, as wide as the registers are.
// There are enough of them that none waits for another one's result. `which` selects the pass that
// counts, from 0, the fastest one, to 1.
template <class Vector>
double multiply_add_rate(int threads, int passes, double which) {
  constexpr int count = 12, rounds = 100'000;
  constexpr int lanes = sizeof(Vector) / sizeof(Vector{}[0]);
  std::vector<double> results(threads);
  const std::vector<double> seconds = sorted_seconds(passes, [&] {
    parallel::for_tasks(threads, threads, [&](int t, int) {
      const Vector factor = Vector{} + 0.999F, term = Vector{} + 1e-3F;
      Vector value[count];
      for (int i = 0; i < count; ++i) value[i] = Vector{} + static_cast<float>(i + t);
      for (int round = 0; round < rounds; ++round)
#pragma GCC unroll 12
        for (int i = 0; i < count; ++i) value[i] = parallel::fused(value[i], factor, term);
      for (const Vector& v : value) results[t] += v[0];
    });
  });
  double sum = 0.0;
  for (const double r : results) sum += r;
  const double flops = 2.0 * count * lanes * rounds * static_cast<double>(threads);
  const auto counts = static_cast<std::size_t>(which * (passes - 1));
  return sum == 0.0 ? 0.0 : flops / seconds[counts];
}

}  // namespace

double measure_bandwidth(int threads, std::int64_t bytes) {
  return std::max(loop_bandwidth(threads, bytes, 4, update),
                  loop_bandwidth(threads, bytes, 3, add));
}

Roof measure_roof(int threads) {
  return {triad_bandwidth(threads), multiply_add_rate<parallel::Lanes>(threads, 150, 0.0),
          multiply_add_rate<parallel::SingleLanes>(threads, 150, 0.0)};
}

double measure_present_rate(int threads) {
  return multiply_add_rate<parallel::Lanes>(threads, 5, 0.5);
}

double measure_present_bandwidth(int threads) {
  constexpr double least = 0.1;  // s
  Triad triad(threads, std::int64_t{1} << 21);
  double bytes = 0.0, seconds = 0.0;
  while (seconds < least) {
    seconds += best_seconds(1, [&] { triad.pass(); });
    bytes += triad.bytes();
  }
  return bytes / seconds;
}

}  // namespace phasewise::probe
