// Loops on a device, whose iterations are threads, and what threads add up together. All calls
// return before the work is done, in the order of one queue.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "gpu/platform.hpp"

namespace phasewise::gpu::PHASEWISE_PLATFORM {

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

inline constexpr int block_threads = 256;

template <class F>
__global__ void index_kernel(std::int64_t n, F f) {
  const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) f(i);
}

template <class F>
__global__ void task_kernel(std::int64_t most, F f) {
  const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (i < most) f(static_cast<int>(blockIdx.y), i);
}

template <class F>
__global__ void counted_kernel(const std::int64_t* n, F f) {
  const std::int64_t stride = gridDim.x * static_cast<std::int64_t>(blockDim.x);
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < *n;
       i += stride)
    f(i);
}

template <int count, bool largest, class F>
__global__ void reduction_kernel(std::int64_t n, double* result, F f) {
  double mine[count];
  for (int k = 0; k < count; ++k) mine[k] = 0.0;
  const std::int64_t stride = gridDim.x * static_cast<std::int64_t>(blockDim.x);
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < n;
       i += stride)
    f(i, mine);
  for (int k = 0; k < count; ++k) {
    double value = mine[k];
    for (int away = 16; away > 0; away /= 2) {
      const double other = __shfl_down_sync(0xffffffffu, value, away);
      value = largest ? (other > value ? other : value) : value + other;
    }
    if (threadIdx.x % 32 == 0) {
      if constexpr (largest)
        atomic_max(result + k, value);
      else
        atomic_add(result + k, value);
    }
  }
}

inline void launched(const char* name) {
  last_kernel() = name;
  check(cudaGetLastError());
}
inline unsigned blocks_for(std::int64_t n) {
  return static_cast<unsigned>((n + block_threads - 1) / block_threads);
}

#else

inline void atomic_add(double* to, double value) { *to += value; }
inline void atomic_add(std::int64_t* to, std::int64_t value) { *to += value; }
inline std::int64_t next_place(std::int64_t* count) { return (*count)++; }
inline void atomic_max(double* to, double value) { *to = std::max(*to, value); }

#endif

// Calls f(i) for each i in [0, n); f holds device pointers by value.
template <class F>
void for_each([[maybe_unused]] const char* name, std::int64_t n, F f) {
  if (n <= 0) return;
#if defined(__CUDACC__)
  index_kernel<<<blocks_for(n), block_threads>>>(n, f);
  launched(name);
#else
  for (std::int64_t i = 0; i < n; ++i) f(i);
#endif
}

// Calls f(task, i) for each task and each i in [0, most), of which f leaves out what its task
// lacks.
template <class F>
void for_each_of_tasks([[maybe_unused]] const char* name, int tasks, std::int64_t most, F f) {
  if (tasks <= 0 || most <= 0) return;
#if defined(__CUDACC__)
  task_kernel<<<dim3(blocks_for(most), static_cast<unsigned>(tasks)), block_threads>>>(most, f);
  launched(name);
#else
  for (int task = 0; task < tasks; ++task)
    for (std::int64_t i = 0; i < most; ++i) f(task, i);
#endif
}

// Calls f(i) for each i in [0, *n); n is in the device's memory.
template <class F>
void for_each_counted([[maybe_unused]] const char* name, const std::int64_t* n, F f) {
#if defined(__CUDACC__)
  // Enough for the few that there usually are.
  constexpr unsigned blocks = 264;
  counted_kernel<<<blocks, 128>>>(n, f);
  launched(name);
#else
  for (std::int64_t i = 0; i < *n; ++i) f(i);
#endif
}

// Adds to result[count] what f(i, values) adds to each thread's own values, whose sums must be
// exact in any order; or takes the largest of them, which are not negative. result is in the
// device's memory.
template <int count, bool largest, class F>
void reduce([[maybe_unused]] const char* name, std::int64_t n, double* result, F f) {
  if (n <= 0) return;
#if defined(__CUDACC__)
  // A few blocks for each multiprocessor, so that a result gets few additions.
  constexpr std::int64_t most_blocks = 528;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(blocks_for(n), most_blocks));
  reduction_kernel<count, largest><<<blocks, block_threads>>>(n, result, f);
  launched(name);
#else
  // As several threads that take turns.
  constexpr std::int64_t threads = 7;
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    double mine[count] = {};
    for (std::int64_t i = thread; i < n; i += threads) f(i, mine);
    for (int k = 0; k < count; ++k) {
      if constexpr (largest)
        atomic_max(result + k, mine[k]);
      else
        atomic_add(result + k, mine[k]);
    }
  }
#endif
}

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM
