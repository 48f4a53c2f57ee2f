// What it takes to gather words that lie far apart and to scatter them, and to copy blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace phasewise::probe {

// Zeroed bytes of which only those that are touched take memory. Throws std::bad_alloc.
using LazyBytes = std::unique_ptr<std::byte, void (*)(void*)>;
LazyBytes lazy_bytes(std::int64_t count);

// Square arrays of doubles with one more column on either side.
struct Square {
  std::int64_t extent;
  std::int64_t stride() const { return (extent + 2) * 8; }  // from row to row [B]
  std::int64_t span() const { return extent * extent * 8; }
};
std::vector<Square> squares();

// Seconds to copy one word of 8 bytes, where words one row of an array apart span so many bytes.
struct StridedCopies {
  std::vector<std::int64_t> spans;
  std::vector<double> seconds;
};

// The first and the last columns of the squares are packed, and unpacked beside them.
// Touches at most 64 MB. Takes some tenths of a second.
StridedCopies measure_strided_copies();

// Sizes of blocks [B], increasing, and the seconds to copy each within a rank's memory, where what
// is copied was written just before. Touches 32 MB. Takes a tenth of a second.
std::vector<std::int64_t> block_sizes();
std::vector<double> measure_block_copies();

}  // namespace phasewise::probe
