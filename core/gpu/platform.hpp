// A device as its library offers it: its memory, and its queue of work. Code for a device calls the
// functions of memory.hpp and launch.hpp. Each .cu file is compiled twice: by nvcc, and by the host
// compiler for an emulated device, whose memory is the host's and whose threads are the iterations
// of a loop.
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

#include <algorithm>
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
// What blocks of threads run in: the number of multiprocessors, and the bytes of memory that a
// block shares.
struct Blocks {
  int processors;
  std::size_t shared;
};

// The number of kernels, copies and other operations given to the device so far.
inline std::int64_t& operations() {
  static std::int64_t count = 0;
  return count;
}

// The blocks of the device's memory that this process holds.
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
  static Held& all = *new Held;  // outlives everything that holds memory
  return all;
}

// The memory of a device [B].
struct Memory {
  std::size_t free, total;
};
inline std::string mebibytes(std::size_t bytes) {
  if (bytes < std::size_t{1} << 20) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes >> 20) + " MiB";
}
// Throws std::runtime_error with one sentence.
[[noreturn]] inline void fail_for_memory(const Memory& now, const std::string& wanted) {
  throw std::runtime_error("the device has " + mebibytes(now.free) + " of " + mebibytes(now.total) +
                           " left, and " + wanted +
                           ": use fewer macroparticles, more devices, or a larger one");
}

#if defined(__CUDACC__)

// The last kernel that was launched, for the sentence of an error.
inline const char*& last_kernel() {
  static const char* name = "none yet";
  return name;
}

Memory memory();

// Throws std::runtime_error with one sentence if CUDA reports a failure.
inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // so that it is not reported again
    fail_for_memory(memory(), "more is needed");
  }
  throw std::runtime_error(std::string("the GPU failed (") + cudaGetErrorString(status) +
                           "); the last kernel launched was " + last_kernel() +
                           "; with CUDA_LAUNCH_BLOCKING=1 it is the one that failed");
}

// Returns zeros if CUDA does not tell.
inline Memory memory() {
  Memory now{};
  if (cudaMemGetInfo(&now.free, &now.total) != cudaSuccess) cudaGetLastError();
  return now;
}

namespace direct {

inline void* allocate(std::size_t bytes) {
  void* data = nullptr;
  if (cudaMalloc(&data, bytes) != cudaSuccess) {
    cudaGetLastError();  // so that it is not reported again
    fail_for_memory(memory(), mebibytes(bytes) + " more are needed");
  }
  held().add(data, bytes);
  return data;
}
inline void release(void* data) {
  held().remove(data);
  cudaFree(data);
}

// Pinned memory through which small data go to the device, so that the host need not wait until
// they have arrived.
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
    ++operations();
    check(cudaMemcpyAsync(device, room_ + used_, bytes, cudaMemcpyHostToDevice));
    used_ += (bytes + line - 1) / line * line;
  }

 private:
  static constexpr std::size_t size = 8 << 20;  // B
  Outbox() {
    void* room = nullptr;  // never freed, like the device
    if (cudaMallocHost(&room, size) != cudaSuccess)
      throw std::runtime_error("the host has no " + mebibytes(size) + " of memory to pin");
    room_ = static_cast<char*>(room);
  }
  char* room_;
  std::size_t used_ = 0;
};

// The host may overwrite its data when this returns, unless they are in pinned memory.
inline void copy_in(void* device, const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  if (bytes <= Outbox::largest) return Outbox::get().send(device, host, bytes);
  ++operations();
  check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice));
}
inline void copy_out(void* host, const void* device, std::size_t bytes) {
  if (bytes == 0) return;
  ++operations();
  check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost));
}
inline void zero(void* device, std::size_t bytes) {
  if (bytes == 0) return;
  ++operations();
  check(cudaMemsetAsync(device, 0, bytes));
}
// Pins memory of the host, which is then copied faster, and unpins it.
inline void pin(void* host, std::size_t bytes) {
  if (cudaHostRegister(host, bytes, cudaHostRegisterDefault) != cudaSuccess) cudaGetLastError();
}
inline void unpin(void* host) {
  if (cudaHostUnregister(host) != cudaSuccess) cudaGetLastError();
}
// Waits until all work that was queued is done.
inline void wait() { check(cudaDeviceSynchronize()); }

}  // namespace direct

inline Properties properties() {
  int device = 0;
  cudaDeviceProp found;
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&found, device));
  return {found.name, found.totalGlobalMem};
}
inline Blocks blocks() {
  static const Blocks found = [] {
    int device = 0, processors = 0, shared = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return Blocks{processors, static_cast<std::size_t>(shared)};
  }();
  return found;
}
// From now on uses the GPU of this number, modulo the number of GPUs. Returns why it cannot be
// used, in one clause, or nothing.
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

inline Properties properties() {
  return {"emulated", static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<std::size_t>(sysconf(_SC_PAGESIZE))};
}
inline Blocks blocks() { return {.processors = 4, .shared = 64 << 10}; }
// The variable PHASEWISE_EMULATED_MEMORY [MiB] makes the memory smaller than the host's, for tests.
inline Memory memory() {
  const char* given = std::getenv("PHASEWISE_EMULATED_MEMORY");
  const std::size_t total =
      given == nullptr ? properties().memory : std::strtoull(given, nullptr, 10) << 20;
  return {total - std::min(total, held().bytes), total};
}

namespace direct {

// The memory is aligned as the host's buffers are, for the transforms.
inline void* allocate(std::size_t bytes) {
  if (const Memory now = memory(); bytes > now.free)
    fail_for_memory(now, mebibytes(bytes) + " more are needed");
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
  if (bytes == 0) return;
  ++operations();
  std::memcpy(device, host, bytes);
}
inline void copy_out(void* host, const void* device, std::size_t bytes) {
  if (bytes == 0) return;
  ++operations();
  std::memcpy(host, device, bytes);
}
inline void zero(void* device, std::size_t bytes) {
  if (bytes == 0) return;
  ++operations();
  std::memset(device, 0, bytes);
}
inline void pin(void* /*host*/, std::size_t /*bytes*/) {}
inline void unpin(void* /*host*/) {}
inline void wait() {}

}  // namespace direct

#endif

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM
