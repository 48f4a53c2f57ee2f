// Asks the system for large pages. If data lie in more pages of 4 kB than the processor caches the
// addresses of, it has to look many of them up; Linux gives large pages only on request by default.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace phasewise::parallel {

// Call this for memory that has not been touched yet. It asks only for whole pages inside the data;
// a system without large pages leaves everything as it is.
inline void prefer_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(data), end = begin + bytes;
  const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace phasewise::parallel
