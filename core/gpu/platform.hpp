// What code for a device is written in: its memory, its queue of work, and additions by many
// threads at once. Each .cu file is compiled twice: by nvcc, and by the host compiler for an
// emulated device, whose memory is the host's and whose threads are the steps of a loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#define PHASEWISE_PLATFORM cuda
#define PHASEWISE_DEVICE __device__
#else
#include <cstdlib>
#include <cstring>
#include <new>
#define PHASEWISE_PLATFORM emulated
#define PHASEWISE_DEVICE
#endif

namespace phasewise::gpu::PHASEWISE_PLATFORM {

#if defined(__CUDACC__)

// The kernel that was launched last, for the sentence if one fails.
inline const char*& last_kernel() {
  static const char* name = "none yet";
  return name;
}

// Throws std::runtime_error with one sentence where CUDA reports a failure.
inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string("the GPU failed (") + cudaGetErrorString(status) +
                           "); the kernel launched last was " + last_kernel());
}

inline void* allocate(std::size_t bytes) {
  void* data = nullptr;
  if (cudaMalloc(&data, bytes) == cudaSuccess) return data;
  cudaGetLastError();  // so that it is not reported again
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  throw std::runtime_error("the GPU has " + std::to_string(free >> 20) + " MiB of " +
                           std::to_string(total >> 20) + " MiB left, and " +
                           std::to_string(bytes >> 20) +
                           " more are needed: use fewer macroparticles or another GPU");
}
inline void release(void* data) { cudaFree(data); }
// CUDA has copied what the host may write to again when this returns.
inline void copy_in(void* device, const void* host, std::size_t bytes) {
  check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice));
}
inline void copy_out(void* host, const void* device, std::size_t bytes) {
  check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost));
}
inline void zero(void* device, std::size_t bytes) { check(cudaMemsetAsync(device, 0, bytes)); }
// Waits until all work that was queued is done.
inline void wait() { check(cudaDeviceSynchronize()); }
// Takes the GPU of this number, modulo their number, from now on. Returns why it cannot be used, in
// one clause, or nothing.
inline std::string choose_device(int number) {
  int count = 0, major = 0, driver = 0, runtime = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const auto version = [](int v) {
    return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
  };
  if (found == cudaErrorInsufficientDriver && driver > 0)
    return "the driver knows CUDA " + version(driver) + ", older than " + version(runtime) +
           ", for which this is built";
  if (found != cudaSuccess || count == 0) return "there is no GPU that CUDA can use";
  const int device = number % count;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (major < 8)
    return "GPU " + std::to_string(device) + " has compute capability " + std::to_string(major) +
           ".x, and 8.0 is needed";
  if (cudaSetDevice(device) != cudaSuccess || cudaFree(nullptr) != cudaSuccess) {
    return "GPU " + std::to_string(device) +
           " cannot be taken: " + cudaGetErrorString(cudaGetLastError());
  }
  return "";
}

#else

// Aligned as the host's buffers are, for the transforms.
inline void* allocate(std::size_t bytes) {
  constexpr std::size_t line = 64;
  void* data = std::aligned_alloc(line, (bytes + line - 1) / line * line);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}
inline void release(void* data) { std::free(data); }
inline void copy_in(void* device, const void* host, std::size_t bytes) {
  if (bytes > 0) std::memcpy(device, host, bytes);
}
inline void copy_out(void* host, const void* device, std::size_t bytes) {
  if (bytes > 0) std::memcpy(host, device, bytes);
}
inline void zero(void* device, std::size_t bytes) {
  if (bytes > 0) std::memset(device, 0, bytes);
}
inline void wait() {}

#endif

// Owns memory of the device.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::int64_t size) { reserve(size); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  Array(Array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Array() { release(data_); }

  // Contents are lost, unless the size is large enough already; then this costs nothing. What is
  // new is zero, so that no kernel ever reads what nothing wrote.
  void reserve(std::int64_t size) {
    if (size <= size_) return;
    *this = Array();
    data_ = static_cast<T*>(allocate(static_cast<std::size_t>(size) * sizeof(T)));
    size_ = size;
    clear(size);
  }
  void clear(std::int64_t count) { zero(data_, static_cast<std::size_t>(count) * sizeof(T)); }
  void copy_from(const T* host, std::int64_t count) {
    reserve(count);
    copy_in(data_, host, static_cast<std::size_t>(count) * sizeof(T));
  }
  // Waits for what was queued before.
  void copy_to(T* host, std::int64_t count) const {
    copy_out(host, data_, static_cast<std::size_t>(count) * sizeof(T));
    wait();
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM
