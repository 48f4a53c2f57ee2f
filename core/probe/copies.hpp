// What it takes to gather words that lie far apart and to scatter them, and to copy blocks.
#pragma once

#include <cstdint>
#include <vector>

namespace phasewise::probe {

// Seconds to copy one word of 8 bytes, where words one row of an array apart span so many bytes.
struct StridedCopies {
  std::vector<std::int64_t> spans;
  std::vector<double> seconds;
};

// The first and the last columns of square arrays of doubles are packed, and unpacked beside them.
// Touches at most 64 MB. Takes some tenths of a second.
StridedCopies measure_strided_copies();

// Sizes of blocks [B], increasing, and the seconds to copy each within a rank's memory, where what
// is copied was written just before. Touches 32 MB. Takes a tenth of a second.
std::vector<std::int64_t> block_sizes();
std::vector<double> measure_block_copies();

}  // namespace phasewise::probe
