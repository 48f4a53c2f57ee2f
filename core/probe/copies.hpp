// Measures the time to gather and scatter words that lie far apart, and to copy blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace phasewise::probe {

// Zeroed bytes, of which only those that are touched take memory. Throws std::bad_alloc.
using LazyBytes = std::unique_ptr<std::byte, void (*)(void*)>;
LazyBytes lazy_bytes(std::int64_t count);

// Square arrays of doubles with one further column on either side.
struct Square {
  std::int64_t extent;
  std::int64_t stride() const { return (extent + 2) * 8; }  // from row to row [B]
  std::int64_t span() const { return extent * extent * 8; }
};
std::vector<Square> squares();

// The seconds to copy one word of 8 bytes, by the bytes that words one row of an array apart span.
struct StridedCopies {
  std::vector<std::int64_t> spans;
  std::vector<double> seconds;
};

// Packs the first and the last columns of the squares, and unpacks them beside these columns.
// Touches at most 64 MB, and takes some tenths of a second.
StridedCopies measure_strided_copies();

// The sizes of blocks [B], increasing, and the seconds to copy each within a rank's memory just
// after its data were written. Touches 32 MB, and takes a tenth of a second.
std::vector<std::int64_t> block_sizes();
std::vector<double> measure_block_copies();

}  // namespace phasewise::probe
