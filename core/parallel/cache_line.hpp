// The unit in which memory moves to and from a processor. Data that two ranks or threads write at
// the same time begin on different lines.
#pragma once

#include <cstdint>

namespace phasewise::parallel {

inline constexpr std::int64_t cache_line = 64;  // B

constexpr std::int64_t whole_lines(std::int64_t bytes) {
  return (bytes + cache_line - 1) / cache_line * cache_line;
}

}  // namespace phasewise::parallel
