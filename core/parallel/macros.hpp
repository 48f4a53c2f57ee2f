// Marks functions that run on the CPU and, compiled by nvcc, on the GPU.
#pragma once

#if defined(__CUDACC__)
#define PHASEWISE_HD __host__ __device__ __forceinline__
#else
#define PHASEWISE_HD inline __attribute__((always_inline))
#endif
