// The memory in which an exchange finds its buffers and keeps its messages. It is the host's, or
// that of a device, which only the device's kernels may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "exchange/packing.hpp"

namespace phasewise::exchange {

class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  virtual ~Memory() = default;

  virtual std::byte* allocate(std::int64_t bytes) = 0;
  // Operations that were queued before may still use the memory.
  virtual void release(std::byte* data) = 0;

  // The following three may return before they are done; they are done one after the other. The
  // places that one call writes must not overlap.
  virtual void copy(std::span<const Copy> copies) = 0;
  // Adds each term to the double at its other end.
  virtual void add(std::span<const Copy> terms) = 0;
  virtual void zero(std::byte* data, std::int64_t bytes) = 0;
  // Returns when all of these, and everything else that was queued on the device, are done.
  virtual void wait() = 0;
};

}  // namespace phasewise::exchange
