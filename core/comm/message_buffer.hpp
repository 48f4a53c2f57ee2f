// Memory of messages whose contents do not matter. On a simulated machine all ranks share the same
// pages, so that thousands of ranks fit.
#pragma once

#include <cstddef>

namespace phasewise::comm {

// std::bad_alloc where there is not so much memory.
void* allocate_message_buffer(std::size_t bytes);
void free_message_buffer(void* buffer);

}  // namespace phasewise::comm
