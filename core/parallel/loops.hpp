// Loops over blocks of an index or over tasks, by OpenMP threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <exception>

namespace phasewise::parallel {

// Particles are processed in blocks of this size, so that a block's scratch arrays stay in the
// first-level cache.
inline constexpr int block_size = 128;

// Calls f(begin, count, thread) on blocks that cover [0, n). Results must not depend on which
// thread takes a block.
template <class F>
void for_blocks(std::int64_t n, int threads, F&& f) {
  const std::int64_t blocks = (n + block_size - 1) / block_size;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::int64_t begin = b * block_size;
    f(begin, static_cast<int>(std::min<std::int64_t>(block_size, n - begin)), omp_get_thread_num());
  }
}

// Calls f(task, thread) for each task in [0, n); tasks may differ in length.
template <class F>
void for_tasks(int n, int threads, F&& f) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
  for (int task = 0; task < n; ++task) f(task, omp_get_thread_num());
}

// Calls f(task) for each task in [0, n). The calling thread runs `beside` first, and then takes
// tasks.
template <class Beside, class F>
void for_tasks_beside(int n, int threads, Beside&& beside, F&& f) {
  std::exception_ptr failure;
#pragma omp parallel num_threads(threads)
  {
#pragma omp master
    try {
      beside();
    } catch (...) {
      failure = std::current_exception();  // an exception must not leave the region
    }
#pragma omp for schedule(dynamic, 1)
    for (int task = 0; task < n; ++task) f(task);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace phasewise::parallel
