// The passes of the open-boundary Poisson solve as kernels that keep a row or a column of the
// doubled grid in the registers of a few threads: it is read once and written once, and its zeros
// are never in the device's memory. For lengths that are powers of two; CUDA only.
//
// A transform of n values has n/8 threads with eight values each: thread j holds the values j + s
// n/8, s = 0 … 7, before and after. Stockham's passes of radix 8, and a last one of radix 2 or 4 if
// need be, exchange values through the block's shared memory in between. Flops: 5 n log2 n, as
// everywhere; bytes: what rows and columns take.
#pragma once

#include <cstdint>

#include "gpu/kernels.hpp"
#include "numerics/complex_product.hpp"

namespace phasewise::field::gpu::cuda {

namespace platform = phasewise::gpu::cuda;

inline constexpr int held = 8;  // values of a thread

__device__ inline double2 plus(double2 a, double2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ inline double2 minus(double2 a, double2 b) { return {a.x - b.x, a.y - b.y}; }
__device__ inline double2 conjugate(double2 a) { return {a.x, -a.y}; }
__device__ inline double2 times(double2 a, double2 b) {
  const auto [re, im] = numerics::complex_product(a.x, a.y, b.x, b.y);
  return {re, im};
}
// Multiplies by exp(-iπ/2), or by exp(iπ/2) on the way back.
template <bool back>
__device__ double2 turned(double2 a) {
  return back ? double2{-a.y, a.x} : double2{a.y, -a.x};
}

template <bool back>
__device__ void transform_2(double2& a, double2& b) {
  const double2 sum = plus(a, b);
  b = minus(a, b);
  a = sum;
}
template <bool back>
__device__ void transform_4(double2& a, double2& b, double2& c, double2& d) {
  const double2 even = plus(a, c), other = minus(a, c);
  const double2 odd = plus(b, d), last = turned<back>(minus(b, d));
  a = plus(even, odd);
  b = plus(other, last);
  c = minus(even, odd);
  d = minus(other, last);
}
template <bool back>
__device__ void transform_8(double2 (&v)[held]) {
  constexpr double root = 0.70710678118654752;  // 1/√2
  transform_4<back>(v[0], v[2], v[4], v[6]);
  transform_4<back>(v[1], v[3], v[5], v[7]);
  const double2 t3 = turned<back>(v[3]), t7 = turned<back>(v[7]);
  const double2 odd[4] = {v[1],
                          {root * (v[3].x + t3.x), root * (v[3].y + t3.y)},
                          turned<back>(v[5]),
                          {root * (t7.x - v[7].x), root * (t7.y - v[7].y)}};
  const double2 even[4] = {v[0], v[2], v[4], v[6]};
  for (int k = 0; k < 4; ++k) {
    v[k] = plus(even[k], odd[k]);
    v[k + 4] = minus(even[k], odd[k]);
  }
}

// The place of a value in shared memory: without the gaps, eight threads that write the values of
// one radix-8 pass would use the same banks.
__device__ inline int spread(int i) { return i + i / held; }
constexpr int spread_size(int n) { return n + n / held; }

// Passes over n values after which `done` values belong together. `unit[k · step]` is exp(-2πik/n).
template <int n, int step, bool back, int done = 1>
__device__ void transform(double2 (&v)[held], double2* room, int j, const double2* unit) {
  constexpr int radix = n / done % 8 == 0 ? 8 : n / done, sets = held / radix, each = n / held;
  static_assert(radix == 2 || radix == 4 || radix == 8);
#pragma unroll
  for (int set = 0; set < sets && done > 1; ++set) {
    const int k = (j + set * each) % done;
#pragma unroll
    for (int r = 1; r < radix; ++r) {
      const double2 factor = unit[r * k * (n / (done * radix)) * step];
      double2& value = v[set + r * sets];
      value = times(value, back ? conjugate(factor) : factor);
    }
  }
  if constexpr (radix == 8) {
    transform_8<back>(v);
  } else {
#pragma unroll
    for (int set = 0; set < sets; ++set) {
      if constexpr (radix == 4)
        transform_4<back>(v[set], v[set + sets], v[set + 2 * sets], v[set + 3 * sets]);
      else
        transform_2<back>(v[set], v[set + sets]);
    }
  }
  if constexpr (done * radix < n) {
    __syncthreads();  // the room has been read
    const int k = j % done, first = (j - k) * radix + k;
#pragma unroll
    for (int r = 0; r < held; ++r) room[spread(first + r * done)] = v[r];
    __syncthreads();
#pragma unroll
    for (int s = 0; s < held; ++s) v[s] = room[spread(j + s * each)];
    transform<n, step, back, done * radix>(v, room, j, unit);
  }
}

// Rows of meshes; a list of rows is one of meshes with one row each.
struct MeshRows {
  double* const* first;  // row of each mesh
  int each;              // rows of a mesh
  int values;            // of a row
  int count;             // rows in all

  __device__ double* operator()(int i) const { return first[i / each] + i % each * values; }
};

// The rows that a block transforms side by side.
template <int half>
inline constexpr int rows_of_block = 2048 / half;

// Transforms rows of real values, with zeros up to 2 half values, to half + 1 complex ones,
// `stride` apart: the values in pairs as one complex row, whose transform is then taken apart.
template <int half>
__global__ void __launch_bounds__(256)
    forward_rows_kernel(MeshRows rows, double2* to, std::int64_t stride, const double2* unit) {
  extern __shared__ double2 shared[];
  constexpr int each = half / held;
  const int j = threadIdx.x % each, in_block = threadIdx.x / each;
  double2* room = shared + in_block * spread_size(half);
  const int row = static_cast<int>(blockIdx.x) * rows_of_block<half> + in_block;
  const bool real = row < rows.count;
  double2 v[held];
  const auto* from = reinterpret_cast<const double2*>(real ? rows(row) : nullptr);
#pragma unroll
  for (int s = 0; s < held; ++s) {
    const int i = j + s * each;
    v[s] = real && 2 * i < rows.values ? from[i] : double2{0.0, 0.0};
  }
  transform<half, 2, false>(v, room, j, unit);
  __syncthreads();
#pragma unroll
  for (int s = 0; s < held; ++s) room[spread(j + s * each)] = v[s];
  __syncthreads();
  if (!real) return;
  to += std::int64_t{row} * stride;
#pragma unroll
  for (int s = 0; s < held; ++s) {
    const int k = j + s * each;
    const double2 other = conjugate(room[spread(k == 0 ? 0 : half - k)]);
    const double2 even = plus(v[s], other), odd = turned<false>(minus(v[s], other));
    const double2 twice = plus(even, times(odd, unit[k]));
    to[k] = {0.5 * twice.x, 0.5 * twice.y};
    if (k == 0) to[half] = {v[s].x - v[s].y, 0.0};
  }
}

// The way back; values beyond the rows' own are left out.
template <int half>
__global__ void __launch_bounds__(256)
    backward_rows_kernel(MeshRows rows, const double2* from, std::int64_t stride,
                         const double2* unit) {
  extern __shared__ double2 shared[];
  constexpr int each = half / held;
  const int j = threadIdx.x % each, in_block = threadIdx.x / each;
  double2* room = shared + in_block * spread_size(half);
  const int row = static_cast<int>(blockIdx.x) * rows_of_block<half> + in_block;
  const bool real = row < rows.count;
  from += std::int64_t{real ? row : 0} * stride;
  double2 v[held];
#pragma unroll
  for (int s = 0; s < held; ++s) {
    const int k = j + s * each;
    const double2 a = from[k], b = conjugate(from[half - k]);
    const double2 odd = times(minus(a, b), conjugate(unit[k]));
    v[s] = plus(plus(a, b), turned<true>(odd));
  }
  transform<half, 2, true>(v, room, j, unit);
  if (!real) return;
  auto* to = reinterpret_cast<double2*>(rows(row));
#pragma unroll
  for (int s = 0; s < held; ++s) {
    const int i = j + s * each;
    if (2 * i < rows.values) to[i] = v[s];
  }
}

// Columns of values, `next` apart, of meshes `mesh` apart; column c begins c `column` after the
// first. A mesh's Green function has its transform's column c at c `green_column`; or there is a
// list with one for each column.
struct MeshColumns {
  double2* first;
  std::int64_t mesh, column, next;
  int count, values;             // columns of a mesh, values of a column
  const double2* const* greens;  // of each mesh, or of each column
  std::int64_t green_column;     // 0: of each column
};

// The columns that a block convolves side by side: neighbours in memory.
template <int n>
inline constexpr int columns_of_block = n <= 256 ? 8 : 4;
// Between the rooms of two columns, so that they use different banks.
template <int n>
inline constexpr int column_room = spread_size(n) + held / columns_of_block<n>;

template <int n>
__global__ void __launch_bounds__(columns_of_block<n>* n / held)
    convolve_kernel(MeshColumns columns, const double2* unit) {
  extern __shared__ double2 shared[];
  constexpr int each = n / held, beside = columns_of_block<n>;
  const int in_block = threadIdx.x % beside, j = threadIdx.x / beside;
  double2* room = shared + in_block * column_room<n>;
  const int column = static_cast<int>(blockIdx.x) * beside + in_block, mesh = blockIdx.y;
  const bool real = column < columns.count;
  double2* values = columns.first + mesh * columns.mesh + column * columns.column;
  double2 v[held];
#pragma unroll
  for (int s = 0; s < held; ++s) {
    const int i = j + s * each;
    v[s] = real && i < columns.values ? values[i * columns.next] : double2{0.0, 0.0};
  }
  transform<n, 1, false>(v, room, j, unit);
  if (real) {
    const double2* green = columns.green_column > 0
                               ? columns.greens[mesh] + column * columns.green_column
                               : columns.greens[column];
#pragma unroll
    for (int s = 0; s < held; ++s) v[s] = times(v[s], green[j + s * each]);
  }
  transform<n, 1, true>(v, room, j, unit);
  if (!real) return;
#pragma unroll
  for (int s = 0; s < held; ++s) {
    const int i = j + s * each;
    if (i < columns.values) values[i * columns.next] = v[s];
  }
}

// Calls f with the power of two as a constant; those that the kernels are compiled for.
inline bool has_kernel(int n) { return n >= 32 && n <= 1024 && (n & (n - 1)) == 0; }
template <class F>
void with_power(int n, const F& f) {
  switch (n) {
    case 32:
      return f(std::integral_constant<int, 32>());
    case 64:
      return f(std::integral_constant<int, 64>());
    case 128:
      return f(std::integral_constant<int, 128>());
    case 256:
      return f(std::integral_constant<int, 256>());
    case 512:
      return f(std::integral_constant<int, 512>());
    default:
      return f(std::integral_constant<int, 1024>());
  }
}

template <int half>
void launch_rows(bool forward, const MeshRows& rows, double2* spectra, std::int64_t stride,
                 const double2* unit) {
  constexpr int beside = rows_of_block<half>, threads = beside * half / held;
  constexpr std::size_t bytes = sizeof(double2) * beside * spread_size(half);
  const auto blocks = static_cast<unsigned>((rows.count + beside - 1) / beside);
  if (forward)
    forward_rows_kernel<half>
        <<<blocks, threads, bytes, platform::queue()>>>(rows, spectra, stride, unit);
  else
    backward_rows_kernel<half>
        <<<blocks, threads, bytes, platform::queue()>>>(rows, spectra, stride, unit);
  platform::launched("solve");
}

template <int n>
void launch_columns(const MeshColumns& columns, int meshes, const double2* unit) {
  constexpr int beside = columns_of_block<n>;
  constexpr std::size_t bytes = sizeof(double2) * beside * column_room<n>;
  platform::allow_shared(convolve_kernel<n>, bytes);
  const dim3 blocks(static_cast<unsigned>((columns.count + beside - 1) / beside),
                    static_cast<unsigned>(meshes));
  convolve_kernel<n><<<blocks, beside * n / held, bytes, platform::queue()>>>(columns, unit);
  platform::launched("solve");
}

}  // namespace phasewise::field::gpu::cuda
