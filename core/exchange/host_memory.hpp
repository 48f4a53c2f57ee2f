// The host's memory; every call is done when it returns.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>

#include "exchange/memory.hpp"
#include "parallel/cache_line.hpp"

namespace phasewise::exchange {

class HostMemory final : public Memory {
 public:
  // `threads` is the number of threads that copy and add.
  explicit HostMemory(int threads) : threads_(threads) {}

  std::byte* allocate(std::int64_t bytes) override {
    void* data = std::aligned_alloc(parallel::cache_line,
                                    static_cast<std::size_t>(parallel::whole_lines(bytes)));
    if (data == nullptr) throw std::bad_alloc();
    return static_cast<std::byte*>(data);
  }
  void release(std::byte* data) override { std::free(data); }
  void copy(std::span<const Copy> copies) override { run(copies, threads_); }
  void add(std::span<const Copy> terms) override { exchange::add(terms, threads_); }
  void zero(std::byte* data, std::int64_t bytes) override {
    std::memset(data, 0, static_cast<std::size_t>(bytes));
  }
  void wait() override {}

 private:
  int threads_;
};

}  // namespace phasewise::exchange
