// The rows of a rank's box as tasks of its threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>

#include "parallel/loops.hpp"

namespace phasewise::lattice {

// What the calling thread does before it takes tasks, while the others begin with them; may be
// null. It is the thread that started MPI, the only one that may call it.
using Beside = std::function<void()>;

// So many tasks for each thread are left to one that comes late.
inline constexpr int tasks_of_thread = 8;

// Calls f(task) for each task in [0, n) after, or on the other threads during, `beside`.
template <class F>
void for_tasks_beside(int n, int threads, const Beside& beside, F&& f) {
  std::exception_ptr failure;
#pragma omp parallel num_threads(threads)
  {
#pragma omp master
    try {
      beside();
    } catch (...) {
      failure = std::current_exception();  // it must not leave the region
    }
#pragma omp for schedule(dynamic, 1)
    for (int task = 0; task < n; ++task) f(task);
  }
  if (failure) std::rethrow_exception(failure);
}

// Calls f(row) for each of the rows.
template <class F>
void for_rows(int rows, int threads, const Beside& beside, F&& f) {
  const int parts = std::min(beside ? tasks_of_thread * threads : threads, rows);
  const auto do_part = [&](int part) {
    const auto last = static_cast<std::int64_t>(rows) * (part + 1) / parts;
    for (auto row = static_cast<std::int64_t>(rows) * part / parts; row < last; ++row) f(row);
  };
  if (beside)
    for_tasks_beside(parts, threads, beside, do_part);
  else
    parallel::for_tasks(parts, threads, [&](int part, int) { do_part(part); });
}

}  // namespace phasewise::lattice
