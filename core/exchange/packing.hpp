// Copies between the scattered bytes of a buffer that a block names, and a message, which is
// contiguous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exchange/region.hpp"

namespace phasewise::exchange {

// Runs of equal length in two nested loops, and where they begin in the message. They are plain
// values, so that a loop over an index can work on them wherever the buffer is.
struct Fragment {
  std::int64_t at, message_at;  // B
  std::int64_t run;             // B
  std::int64_t count, stride;   // inner loop
  std::int64_t outer_count, outer_stride;

  std::int64_t bytes() const { return run * count * outer_count; }
  bool contiguous() const { return count == 1 && outer_count == 1; }
};
using Fragments = std::vector<Fragment>;

// Runs to copy from one place to another.
struct Copy {
  struct End {
    std::byte* data;
    std::int64_t stride, row_stride;  // from run to run, and from row to row [B]
  };
  End to, from;
  std::int64_t run, count, rows;

  std::int64_t bytes() const { return run * count * rows; }
};
using Copies = std::vector<Copy>;

// Appends the fragments of a region at `base`, which begin at `message_at` in the message, and
// joins runs that touch. Returns where they end in the message.
std::int64_t append(Fragments& fragments, const Region& region, std::int64_t base,
                    std::int64_t message_at);
std::int64_t append(Fragments& fragments, const Block& block, std::int64_t item_size,
                    std::int64_t message_at);

// Append the copies that pack the fragments of a buffer into a message, or unpack them from it.
void append_packing(Copies& copies, std::span<const Fragment> fragments, std::byte* buffer,
                    std::byte* message);
void append_unpacking(Copies& copies, std::span<const Fragment> fragments, std::byte* buffer,
                      std::byte* message);
// Appends the copies of one region of memory to another one, byte after byte in the order of both.
// Throws std::logic_error unless the loops of one divide those of the other.
struct Place {
  std::byte* data;
  const Region& region;
};
void append_copies(Copies& copies, const Place& from, const Place& to);
// Runs all copies; the places that are written must not overlap.
void run(std::span<const Copy> copies, int threads);

// Adds each term to the double at its other end; the places that are written must not overlap.
void add(std::span<const Copy> terms, int threads);

}  // namespace phasewise::exchange
