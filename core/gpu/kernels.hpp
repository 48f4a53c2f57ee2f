// What runs on a device: additions by many threads at once, and loops over the iterations of one
// body, or of several bodies of one type that different members ask for (parts). An emulated device
// runs them one after another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/graph.hpp"
#include "gpu/memory.hpp"

namespace phasewise::gpu::PHASEWISE_PLATFORM {

// Calls f(i) for each i in [0, n).
template <class F>
struct EachPart {
  std::int64_t n;
  F f;
};
// Calls f(task, i) for each i in [0, n).
template <class F>
struct TaskPart {
  std::int64_t n;
  F f;
  int task;
};
// Runs a task of at most n tiles (gpu/launch.hpp).
template <class F>
struct TilePart {
  std::int64_t n;
  F f;
  int task;
};
// Calls f(i) for each i in [0, *n); n is in the device's memory.
template <class F>
struct CountedPart {
  const std::int64_t* n;
  F f;
};
// Calls f(i, values) for each i in [0, n). `values` are the thread's own; they are added to
// result[count], or, with `largest`, result gets the largest of them.
template <int count, bool largest, class F>
struct ReductionPart {
  std::int64_t n;
  double* result;
  F f;
};

// The number of iterations of a part; the host does not know a number that is counted on the
// device.
inline std::int64_t count_of(std::int64_t n) { return n; }
inline std::int64_t count_of(const std::int64_t* /*n*/) { return 0; }

// What parts need from a launch: the iterations, or tiles, of the largest part, and the bytes of a
// tile.
struct Extent {
  std::int64_t most = 0;
  std::size_t shared = 0;

  void include(const Extent& other) {
    most = std::max(most, other.most);
    shared = std::max(shared, other.shared);
  }
};
template <class Part>
Extent extent_of(const Part& part) {
  return {count_of(part.n)};
}
template <class F>
Extent extent_of(const TilePart<F>& part) {
  return {part.n, part.f.words * sizeof(std::uint32_t)};
}

#if defined(__CUDACC__)

// Adds to the device's memory; CUDA's own functions first check whether the address is a block's
// memory.
PHASEWISE_DEVICE inline void atomic_add(double* to, double value) {
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "d"(value)
               : "memory");
}
PHASEWISE_DEVICE inline void atomic_add(std::int64_t* to, std::int64_t value) {
  asm volatile("red.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "l"(value)
               : "memory");
}
// Adds to a tile.
PHASEWISE_DEVICE inline void atomic_add(std::uint32_t* to, std::uint32_t value) {
  atomicAdd(to, value);
}
// Raises the count by one, and returns what it was before.
PHASEWISE_DEVICE inline std::int64_t next_place(std::int64_t* count) {
  return static_cast<std::int64_t>(atomicAdd(reinterpret_cast<unsigned long long*>(count), 1ULL));
}
// Values must not be negative, so that their bits have the same order as they do.
PHASEWISE_DEVICE inline void atomic_max(double* to, double value) {
  atomicMax(reinterpret_cast<unsigned long long*>(to),
            static_cast<unsigned long long>(__double_as_longlong(value)));
}

// The number of threads in a block. A large tile leaves room for only one block in a
// multiprocessor, which then needs many threads.
template <class Part>
inline constexpr int block_threads = 256;
template <class F>
inline constexpr int block_threads<CountedPart<F>> = 128;
template <class F>
inline constexpr int block_threads<TilePart<F>> = 1024;

// The thread's number in its row of blocks, and the number of threads in the row.
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
PHASEWISE_DEVICE void do_task(const TaskPart<F>& part, int task) {
  const std::int64_t i = thread_of_row();
  if (i < part.n) part.f(task, i);
}
template <class F>
PHASEWISE_DEVICE void do_task(const TilePart<F>& part, int task) {
  extern __shared__ std::uint32_t tile[];
  const F& f = part.f;
  const std::int64_t size = f.size(task), chunk = f.chunk(task), begin = blockIdx.x * chunk;
  if (begin >= size) return;
  const std::int64_t end = begin + chunk < size ? begin + chunk : size;
  for (int k = threadIdx.x; k < f.words; k += blockDim.x) tile[k] = 0;
  __syncthreads();
  for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) f.add(task, i, tile);
  __syncthreads();
  for (int k = threadIdx.x; k < f.takes; k += blockDim.x) f.take(task, k, tile);
}
template <class F>
PHASEWISE_DEVICE void do_part(const TaskPart<F>& part) {
  do_task(part, part.task);
}
template <class F>
PHASEWISE_DEVICE void do_part(const TilePart<F>& part) {
  do_task(part, part.task);
}
template <class F>
PHASEWISE_DEVICE void do_part(const CountedPart<F>& part) {
  for (std::int64_t i = thread_of_row(); i < *part.n; i += threads_of_row()) part.f(i);
}
template <bool largest>
PHASEWISE_DEVICE double joined(double a, double b) {
  return largest ? (b > a ? b : a) : a + b;
}
// The threads of a warp combine their values, then the warps of a block, so that a result gets one
// addition from each block.
template <int count, bool largest, class F>
PHASEWISE_DEVICE void do_part(const ReductionPart<count, largest, F>& part) {
  constexpr int warp = 32, warps = block_threads<ReductionPart<count, largest, F>> / warp;
  __shared__ double of_warp[warps][count];
  double mine[count];
  for (int k = 0; k < count; ++k) mine[k] = 0.0;
  for (std::int64_t i = thread_of_row(); i < part.n; i += threads_of_row()) part.f(i, mine);
  for (int k = 0; k < count; ++k) {
    double value = mine[k];
    for (int away = warp / 2; away > 0; away /= 2)
      value = joined<largest>(value, __shfl_down_sync(0xffffffffu, value, away));
    if (threadIdx.x % warp == 0) of_warp[threadIdx.x / warp][k] = value;
  }
  __syncthreads();
  const int k = static_cast<int>(threadIdx.x);
  if (k >= count) return;
  double value = of_warp[0][k];
  for (int w = 1; w < warps; ++w) value = joined<largest>(value, of_warp[w][k]);
  if constexpr (largest)
    atomic_max(part.result + k, value);
  else
    atomic_add(part.result + k, value);
}

template <class Part>
__global__ void __launch_bounds__(block_threads<Part>) one_part_kernel(const Part part) {
  do_part(part);
}
// Runs each part in a row of blocks of its own.
template <class Part>
__global__ void __launch_bounds__(block_threads<Part>) parts_kernel(const Part* parts) {
  do_part(parts[blockIdx.y]);
}
// Runs each task in a row of blocks of its own.
template <class Part>
__global__ void __launch_bounds__(block_threads<Part>) tasks_kernel(const Part part, int first) {
  do_task(part, first + static_cast<int>(blockIdx.y));
}

// The number of blocks in a row with one iteration per thread.
template <class Part>
unsigned blocks_in_row(const Part* /*kind*/, std::int64_t n) {
  constexpr int each = block_threads<Part>;
  return static_cast<unsigned>((n + each - 1) / each);
}
// Enough blocks for the few iterations that there usually are.
template <class F>
unsigned blocks_in_row(const CountedPart<F>* /*kind*/, std::int64_t /*n*/) {
  return 264;
}
// A few blocks for each multiprocessor, so that a result gets few additions.
template <int count, bool largest, class F>
unsigned blocks_in_row(const ReductionPart<count, largest, F>* /*kind*/, std::int64_t n) {
  constexpr int each = block_threads<ReductionPart<count, largest, F>>;
  return static_cast<unsigned>(std::min<std::int64_t>((n + each - 1) / each, 528));
}
template <class F>
unsigned blocks_in_row(const TilePart<F>* /*kind*/, std::int64_t tiles) {
  return static_cast<unsigned>(tiles);
}

inline void launched(const char* name) {
  ++operations();
  last_kernel() = name;
  check(cudaGetLastError());
}
// CUDA must be asked for more memory per block than this.
template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
  constexpr std::size_t always = 48 << 10;  // B
  if (bytes > always)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)));
}

// Calls f(first, some) for groups of rows that a launch can take.
template <class F>
void each_rows(std::int64_t count, const F& f) {
  constexpr std::int64_t rows = 65535;
  for (std::int64_t first = 0; first < count; first += rows)
    f(static_cast<int>(first), static_cast<unsigned>(std::min(rows, count - first)));
}

template <class Part>
void launch(const char* name, const Part& part) {
  const unsigned blocks = blocks_in_row(&part, count_of(part.n));
  one_part_kernel<<<blocks, block_threads<Part>, 0, queue()>>>(part);
  launched(name);
}
// Launches parts that are in the device's memory, and need what `extent` says.
template <class Part>
void launch_parts(const char* name, const Part* parts, std::int64_t count, const Extent& extent) {
  const unsigned blocks = blocks_in_row(parts, extent.most);
  allow_shared(parts_kernel<Part>, extent.shared);
  each_rows(count, [&](int first, unsigned some) {
    const dim3 shape(blocks, some);
    parts_kernel<<<shape, block_threads<Part>, extent.shared, queue()>>>(parts + first);
    launched(name);
  });
}
// Launches the part for each task in [0, tasks).
template <class Part>
void launch_tasks(const char* name, int tasks, const Part& part) {
  const Extent extent = extent_of(part);
  const unsigned blocks = blocks_in_row(&part, extent.most);
  allow_shared(tasks_kernel<Part>, extent.shared);
  each_rows(tasks, [&](int first, unsigned some) {
    const dim3 shape(blocks, some);
    tasks_kernel<<<shape, block_threads<Part>, extent.shared, queue()>>>(part, first);
    launched(name);
  });
}

#else

inline void atomic_add(double* to, double value) { *to += value; }
inline void atomic_add(std::uint32_t* to, std::uint32_t value) { *to += value; }
inline void atomic_add(std::int64_t* to, std::int64_t value) { *to += value; }
inline std::int64_t next_place(std::int64_t* count) { return (*count)++; }
inline void atomic_max(double* to, double value) { *to = std::max(*to, value); }

template <class F>
void do_part(const EachPart<F>& part) {
  for (std::int64_t i = 0; i < part.n; ++i) part.f(i);
}
template <class F>
void do_task(const TaskPart<F>& part, int task) {
  for (std::int64_t i = 0; i < part.n; ++i) part.f(task, i);
}
template <class F>
void do_task(const TilePart<F>& part, int task) {
  const F& f = part.f;
  const std::int64_t size = f.size(task), chunk = f.chunk(task);
  for (std::int64_t begin = 0; begin < size; begin += chunk) {
    std::vector<std::uint32_t> tile(f.words, 0U);
    for (std::int64_t i = begin; i < std::min(begin + chunk, size); ++i)
      f.add(task, i, tile.data());
    for (int k = 0; k < f.takes; ++k) f.take(task, k, tile.data());
  }
}
template <class F>
void do_part(const TaskPart<F>& part) {
  do_task(part, part.task);
}
template <class F>
void do_part(const TilePart<F>& part) {
  do_task(part, part.task);
}
template <class F>
void do_part(const CountedPart<F>& part) {
  for (std::int64_t i = 0; i < *part.n; ++i) part.f(i);
}
// Emulates several threads that take turns.
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
  perform([part] { do_part(part); });
}
template <class Part>
void launch_parts(const char* /*name*/, const Part* parts, std::int64_t count,
                  const Extent& /*extent*/) {
  perform([parts, count] {
    for (std::int64_t p = 0; p < count; ++p) do_part(parts[p]);
  });
}
template <class Part>
void launch_tasks(const char* /*name*/, int tasks, const Part& part) {
  perform([tasks, part] {
    for (int task = 0; task < tasks; ++task) do_task(part, task);
  });
}

#endif

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM
