#include "comm/message_buffer.hpp"

#include <mpi.h>

#include <cstdlib>
#include <new>

namespace phasewise::comm {

void* allocate_message_buffer(std::size_t bytes) {
#if defined(SMPI_SHARED_MALLOC)
  void* buffer = SMPI_SHARED_MALLOC(bytes);
#else
  void* buffer = std::calloc(bytes, 1);
#endif
  if (buffer == nullptr) throw std::bad_alloc();
  return buffer;
}

void free_message_buffer(void* buffer) {
  if (buffer == nullptr) return;
#if defined(SMPI_SHARED_MALLOC)
  SMPI_SHARED_FREE(buffer);
#else
  std::free(buffer);
#endif
}

SkeletonMemory::~SkeletonMemory() {
  for (void* buffer : buffers_) free_message_buffer(buffer);
}

std::byte* SkeletonMemory::at_least(std::int64_t bytes) {
  if (bytes > size_) {
    buffers_.push_back(allocate_message_buffer(static_cast<std::size_t>(bytes)));
    size_ = bytes;
  }
  return buffers_.empty() ? nullptr : static_cast<std::byte*>(buffers_.back());
}

}  // namespace phasewise::comm
