// What code for a device is written in: its memory, its queue of work, and additions by many
// threads at once. Each .cu file is compiled twice: by nvcc, and by the host compiler for an
// emulated device, whose memory is the host's and whose threads are the steps of a loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#if defined(__CUDACC__)
#include <cuda_runtime.h>

#include <cstring>
#define PHASEWISE_PLATFORM cuda
#define PHASEWISE_DEVICE __device__
#else
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>
#define PHASEWISE_PLATFORM emulated
#define PHASEWISE_DEVICE
#endif

namespace phasewise::gpu::PHASEWISE_PLATFORM {

struct Properties {
  std::string name;
  std::size_t memory;  // B
};

// What this process holds of the device's memory.
struct Held {
  std::unordered_map<const void*, std::size_t> sizes;
  std::size_t bytes = 0;

  void add(const void* data, std::size_t size) {
    sizes[data] = size;
    bytes += size;
  }
  void remove(const void* data) {
    const auto found = sizes.find(data);
    if (found == sizes.end()) return;
    bytes -= found->second;
    sizes.erase(found);
  }
};
inline Held& held() {
  static Held all;
  return all;
}

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
                           "); the kernel launched last was " + last_kernel() +
                           ", which with CUDA_LAUNCH_BLOCKING=1 is the one that fails");
}

inline void* allocate(std::size_t bytes) {
  void* data = nullptr;
  if (cudaMalloc(&data, bytes) == cudaSuccess) {
    held().add(data, bytes);
    return data;
  }
  cudaGetLastError();  // so that it is not reported again
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  throw std::runtime_error("the GPU has " + std::to_string(free >> 20) + " MiB of " +
                           std::to_string(total >> 20) + " MiB left, and " +
                           std::to_string(bytes >> 20) +
                           " more are needed: use fewer macroparticles or another GPU");
}
inline void release(void* data) {
  held().remove(data);
  cudaFree(data);
}

// Pinned memory through which small things go to the device, so that the host need not wait until
// they are there.
class Outbox {
 public:
  static constexpr std::size_t largest = 64 << 10;  // B
  static Outbox& get() {
    static Outbox one;
    return one;
  }
  void send(void* device, const void* host, std::size_t bytes) {
    constexpr std::size_t line = 256;
    if (used_ + bytes > size) {
      check(cudaDeviceSynchronize());
      used_ = 0;
    }
    std::memcpy(room_ + used_, host, bytes);
    check(cudaMemcpyAsync(device, room_ + used_, bytes, cudaMemcpyHostToDevice));
    used_ += (bytes + line - 1) / line * line;
  }

 private:
  static constexpr std::size_t size = 8 << 20;  // B
  Outbox() {
    void* room = nullptr;
    check(cudaMallocHost(&room, size));  // kept to the end, as the device is
    room_ = static_cast<char*>(room);
  }
  char* room_;
  std::size_t used_ = 0;
};

// What the host may write to again when this returns, but for memory that is pinned.
inline void copy_in(void* device, const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  if (bytes <= Outbox::largest) return Outbox::get().send(device, host, bytes);
  check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice));
}
inline void copy_out(void* host, const void* device, std::size_t bytes) {
  check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost));
}
inline void copy_within(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice));
}
inline void zero(void* device, std::size_t bytes) { check(cudaMemsetAsync(device, 0, bytes)); }
// Memory of the host that is copied fast from now on, and no longer.
inline void pin(void* host, std::size_t bytes) {
  if (cudaHostRegister(host, bytes, cudaHostRegisterDefault) != cudaSuccess) cudaGetLastError();
}
inline void unpin(void* host) {
  if (cudaHostUnregister(host) != cudaSuccess) cudaGetLastError();
}
// Waits until all work that was queued is done.
inline void wait() { check(cudaDeviceSynchronize()); }
inline Properties properties() {
  int device = 0;
  cudaDeviceProp found;
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&found, device));
  return {found.name, found.totalGlobalMem};
}
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
  held().add(data, bytes);
  return data;
}
inline void release(void* data) {
  held().remove(data);
  std::free(data);
}
inline void copy_in(void* device, const void* host, std::size_t bytes) {
  if (bytes > 0) std::memcpy(device, host, bytes);
}
inline void copy_out(void* host, const void* device, std::size_t bytes) {
  if (bytes > 0) std::memcpy(host, device, bytes);
}
inline void copy_within(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
inline void zero(void* device, std::size_t bytes) {
  if (bytes > 0) std::memset(device, 0, bytes);
}
inline void pin(void* /*host*/, std::size_t /*bytes*/) {}
inline void unpin(void* /*host*/) {}
inline void wait() {}
inline Properties properties() {
  return {"emulated", static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<std::size_t>(sysconf(_SC_PAGESIZE))};
}

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
