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

double triad_bandwidth(int threads) {
  constexpr std::int64_t n = std::int64_t{1} << 24;  // 3 × 128 MiB, beyond any cache
  parallel::Buffer<double> a(n), b(n), c(n);
  const auto each = [&](auto f) {
    parallel::for_tasks(threads, threads, [&](int t, int) {
      for (std::int64_t i = n * t / threads; i < n * (t + 1) / threads; ++i) f(i);
    });
  };
  each([&](std::int64_t i) { a[i] = b[i] = c[i] = 1.0; });
  const double seconds =
      best_seconds(5, [&] { each([&](std::int64_t i) { a[i] = b[i] + 3.0 * c[i]; }); });
  return 3.0 * sizeof(double) * n / seconds;
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

}  // namespace phasewise::probe
