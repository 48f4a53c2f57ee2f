// Memory of the device. Requests are done at once, in the order of one queue; while several works
// are done together, the member that asks keeps them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/platform.hpp"

namespace phasewise::gpu::PHASEWISE_PLATFORM {

// A request of one of the works that are done together; requests of several members may become one.
class Request {
 public:
  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  virtual ~Request() = default;

  // Requests of the same kind can be joined; null: the request cannot be joined with any other.
  virtual const void* kind() const = 0;
  virtual void join(Request& other) = 0;
  // The amount of work, relative to other requests of the same kind.
  virtual double size() const = 0;
  // The number of bytes that the device must be given before, which `write` puts into the host's
  // copy.
  virtual std::size_t bytes() const { return 0; }
  virtual void write(std::byte* /*host*/, const std::byte* /*device*/) const {}
  virtual void run(const std::byte* given) = 0;
  // After all requests have run, `fetch` copies to the host what `deliver` then gives to those who
  // asked.
  virtual void fetch(const std::byte* /*given*/) {}
  virtual void deliver() {}
};

// Its address tells types apart.
template <class T>
inline char tag_of = 0;

// A request that cannot be joined with any other.
template <class F>
class Alone final : public Request {
 public:
  explicit Alone(F f) : f_(std::move(f)) {}
  const void* kind() const override { return nullptr; }
  void join(Request& /*other*/) override {}
  double size() const override { return 1.0; }
  void run(const std::byte* /*given*/) override { f_(); }

 private:
  F f_;
};

class Member {
 public:
  Member() = default;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;
  virtual ~Member() = default;

  virtual void add(std::unique_ptr<Request> request) = 0;
  // Calls f when its turn comes.
  template <class F>
  void add_alone(F f) {
    add(std::make_unique<Alone<F>>(std::move(f)));
  }
  virtual void copy_in(void* device, const void* host, std::size_t bytes) = 0;
  virtual void copy_out(void* host, const void* device, std::size_t bytes) = 0;
  virtual void zero(void* device, std::size_t bytes) = 0;
  // Waits until everything that this member asked for is done.
  virtual void wait() = 0;
  // Frees the memory once everything that any member asked for is done.
  virtual void release(void* data) = 0;
  // Appends the time at which everything that this member has asked for so far is done.
  virtual void mark(std::vector<double>& times) = 0;
};

// The member that asks; if it is null, requests are done at once. Like the queue and the memory, it
// belongs to the whole process, so that only one thread at a time may ask for anything.
inline Member*& member() {
  static Member* asking = nullptr;
  return asking;
}

inline void* allocate(std::size_t bytes) { return direct::allocate(bytes); }
inline void release(void* data) {
  if (Member* one = member()) return one->release(data);
  direct::release(data);
}
// The host may overwrite its data when this returns, unless they are in pinned memory.
inline void copy_in(void* device, const void* host, std::size_t bytes) {
  if (Member* one = member()) return one->copy_in(device, host, bytes);
  direct::copy_in(device, host, bytes);
}
inline void copy_out(void* host, const void* device, std::size_t bytes) {
  if (Member* one = member()) return one->copy_out(host, device, bytes);
  direct::copy_out(host, device, bytes);
}
inline void zero(void* device, std::size_t bytes) {
  if (Member* one = member()) return one->zero(device, bytes);
  direct::zero(device, bytes);
}
// Waits until all work that was queued is done.
inline void wait() {
  if (Member* one = member()) return one->wait();
  direct::wait();
}
using direct::pin;
using direct::unpin;

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

  // The contents are lost, unless the size is already large enough; then this costs nothing. New
  // memory is zero, so that no kernel ever reads what nothing wrote.
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
  // Waits for everything that was queued before.
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
