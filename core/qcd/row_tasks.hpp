// The rows of a rank's box as tasks of its threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "parallel/loops.hpp"

namespace phasewise::qcd {

// What the calling thread does before it takes tasks, while the others already work on them; may be
// null. This is the thread that started MPI, and the only one that may call it.
using Beside = std::function<void()>;

// The tasks per thread, so that a thread that comes late still finds some.
inline constexpr int tasks_of_thread = 8;

// Calls f(row) for each of the rows.
template <class F>
void for_rows(int rows, int threads, const Beside& beside, F&& f) {
  const int parts = std::min(beside ? tasks_of_thread * threads : threads, rows);
  const auto do_part = [&](int part) {
    const auto last = static_cast<std::int64_t>(rows) * (part + 1) / parts;
    for (auto row = static_cast<std::int64_t>(rows) * part / parts; row < last; ++row) f(row);
  };
  if (beside)
    parallel::for_tasks_beside(parts, threads, beside, do_part);
  else
    parallel::for_tasks(parts, threads, [&](int part, int) { do_part(part); });
}

}  // namespace phasewise::qcd
