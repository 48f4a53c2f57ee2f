// What runs on a device: additions by many threads at once, and loops over the iterations of one
// body, or of several bodies of one type that different members ask for (parts). An emulated device
// runs them one after another.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/memory.hpp"

namespace phasewise::gpu::PHASEWISE_PLATFORM {

// f(i) for each i in [0, n).
template <class F>
struct EachPart {
  std::int64_t n;
  F f;
};
// f(task, i) for each i in [0, n).
template <class F>
struct TaskPart {
  std::int64_t n;
  F f;
  int task;
};
// f(i) for each i in [0, *n); n is in the device's memory.
template <class F>
struct CountedPart {
  const std::int64_t* n;
  F f;
};
// f(i, values) for each i in [0, n), with values of a thread that are added to result[count], or of
// which it gets the largest.
template <int count, bool largest, class F>
struct ReductionPart {
  std::int64_t n;
  double* result;
  F f;
};

// The iterations of a part, which the host does not know of those that are counted on the device.
inline std::int64_t count_of(std::int64_t n) { return n; }
inline std::int64_t count_of(const std::int64_t* /*n*/) { return 0; }

#if defined(__CUDACC__)

PHASEWISE_DEVICE inline void atomic_add(double* to, double value) { atomicAdd(to, value); }
PHASEWISE_DEVICE inline void atomic_add(std::int64_t* to, std::int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}
// The count before it is raised by one.
PHASEWISE_DEVICE inline std::int64_t next_place(std::int64_t* count) {
  return static_cast<std::int64_t>(atomicAdd(reinterpret_cast<unsigned long long*>(count), 1ULL));
}
// Values are not negative, so that their bits are ordered as they are.
PHASEWISE_DEVICE inline void atomic_max(double* to, double value) {
  atomicMax(reinterpret_cast<unsigned long long*>(to),
            static_cast<unsigned long long>(__double_as_longlong(value)));
}

// The thread's number in its row of blocks, and how many there are.
PHASEWISE_DEVICE inline std::int64_t thread_of_row() {
  return blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
}
PHASEWISE_DEVICE inline std::int64_t threads_of_row() {
  return gridDim.x * static_cast<std::int64_t>(blockDim.x);
}

template <class F>
PHASEWISE_DEVICE void do_part(const EachPart<F>& part) {
  const std::int64_t i = thread_of_row();
  if (i < part.n) part.f(i);
}
template <class F>
PHASEWISE_DEVICE void do_part(const TaskPart<F>& part) {
  const std::int64_t i = thread_of_row();
  if (i < part.n) part.f(part.task, i);
}
template <class F>
PHASEWISE_DEVICE void do_part(const CountedPart<F>& part) {
  for (std::int64_t i = thread_of_row(); i < *part.n; i += threads_of_row()) part.f(i);
}
template <int count, bool largest, class F>
PHASEWISE_DEVICE void do_part(const ReductionPart<count, largest, F>& part) {
  double mine[count];
  for (int k = 0; k < count; ++k) mine[k] = 0.0;
  for (std::int64_t i = thread_of_row(); i < part.n; i += threads_of_row()) part.f(i, mine);
  for (int k = 0; k < count; ++k) {
    double value = mine[k];
    for (int away = 16; away > 0; away /= 2) {
      const double other = __shfl_down_sync(0xffffffffu, value, away);
      value = largest ? (other > value ? other : value) : value + other;
    }
    if (threadIdx.x % 32 == 0) {
      if constexpr (largest)
        atomic_max(part.result + k, value);
      else
        atomic_add(part.result + k, value);
    }
  }
}

template <class Part>
__global__ void one_part_kernel(const Part part) {
  do_part(part);
}
// A row of blocks for each part.
template <class Part>
__global__ void parts_kernel(const Part* parts) {
  do_part(parts[blockIdx.y]);
}
template <class F>
__global__ void tasks_kernel(std::int64_t most, const F f) {
  const std::int64_t i = thread_of_row();
  if (i < most) f(static_cast<int>(blockIdx.y), i);
}

// Blocks in a row, and threads in each.
struct RowShape {
  unsigned blocks, threads;
};
inline constexpr unsigned block_threads = 256;
inline RowShape thread_each(std::int64_t n) {
  return {static_cast<unsigned>((n + block_threads - 1) / block_threads), block_threads};
}
template <class F>
RowShape row_shape(const EachPart<F>* /*kind*/, std::int64_t n) {
  return thread_each(n);
}
template <class F>
RowShape row_shape(const TaskPart<F>* /*kind*/, std::int64_t n) {
  return thread_each(n);
}
// Enough for the few that there usually are.
template <class F>
RowShape row_shape(const CountedPart<F>* /*kind*/, std::int64_t /*n*/) {
  return {264, 128};
}
// A few blocks for each multiprocessor, so that a result gets few additions.
template <int count, bool largest, class F>
RowShape row_shape(const ReductionPart<count, largest, F>* /*kind*/, std::int64_t n) {
  return {std::min(thread_each(n).blocks, 528U), block_threads};
}

inline void launched(const char* name) {
  ++operations();
  last_kernel() = name;
  check(cudaGetLastError());
}

template <class Part>
void launch(const char* name, const Part& part) {
  const RowShape shape = row_shape(&part, count_of(part.n));
  one_part_kernel<<<shape.blocks, shape.threads>>>(part);
  launched(name);
}
// Of parts in the device's memory; `most` is the largest n.
template <class Part>
void launch_parts(const char* name, const Part* parts, int count, std::int64_t most) {
  constexpr int rows = 65535;  // of blocks in a launch
  const RowShape shape = row_shape(parts, most);
  for (int first = 0; first < count; first += rows) {
    const auto some = static_cast<unsigned>(std::min(rows, count - first));
    parts_kernel<<<dim3(shape.blocks, some), shape.threads>>>(parts + first);
    launched(name);
  }
}
template <class F>
void launch_tasks(const char* name, int tasks, std::int64_t most, const F& f) {
  const RowShape shape = thread_each(most);
  tasks_kernel<<<dim3(shape.blocks, static_cast<unsigned>(tasks)), shape.threads>>>(most, f);
  launched(name);
}

#else

inline void atomic_add(double* to, double value) { *to += value; }
inline void atomic_add(std::int64_t* to, std::int64_t value) { *to += value; }
inline std::int64_t next_place(std::int64_t* count) { return (*count)++; }
inline void atomic_max(double* to, double value) { *to = std::max(*to, value); }

template <class F>
void do_part(const EachPart<F>& part) {
  for (std::int64_t i = 0; i < part.n; ++i) part.f(i);
}
template <class F>
void do_part(const TaskPart<F>& part) {
  for (std::int64_t i = 0; i < part.n; ++i) part.f(part.task, i);
}
template <class F>
void do_part(const CountedPart<F>& part) {
  for (std::int64_t i = 0; i < *part.n; ++i) part.f(i);
}
// As several threads that take turns.
template <int count, bool largest, class F>
void do_part(const ReductionPart<count, largest, F>& part) {
  constexpr std::int64_t threads = 7;
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    double mine[count] = {};
    for (std::int64_t i = thread; i < part.n; i += threads) part.f(i, mine);
    for (int k = 0; k < count; ++k) {
      if constexpr (largest)
        atomic_max(part.result + k, mine[k]);
      else
        atomic_add(part.result + k, mine[k]);
    }
  }
}

template <class Part>
void launch(const char* /*name*/, const Part& part) {
  ++operations();
  do_part(part);
}
template <class Part>
void launch_parts(const char* /*name*/, const Part* parts, int count, std::int64_t /*most*/) {
  ++operations();
  for (int p = 0; p < count; ++p) do_part(parts[p]);
}
template <class F>
void launch_tasks(const char* /*name*/, int tasks, std::int64_t most, const F& f) {
  ++operations();
  for (int task = 0; task < tasks; ++task)
    for (std::int64_t i = 0; i < most; ++i) f(task, i);
}

#endif

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM
