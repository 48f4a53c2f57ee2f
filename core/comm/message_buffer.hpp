// Memory for messages whose contents do not matter. On a simulated machine all ranks share the same
// pages, so that thousands of ranks fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace phasewise::comm {

// Zeros. Throws std::bad_alloc if memory runs out.
void* allocate_message_buffer(std::size_t bytes);
void free_message_buffer(void* buffer);

// The memory of all messages of a skeleton run.
class SkeletonMemory {
 public:
  SkeletonMemory() = default;
  ~SkeletonMemory();
  SkeletonMemory(const SkeletonMemory&) = delete;
  SkeletonMemory& operator=(const SkeletonMemory&) = delete;

  // Memory of at least this many bytes, valid as long as this object lives.
  std::byte* at_least(std::int64_t bytes);

 private:
  std::vector<void*> buffers_;  // smaller ones are kept: messages may still use them
  std::int64_t size_ = 0;       // of the last buffer [B]
};

}  // namespace phasewise::comm
