// The bytes of a buffer that make up a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace phasewise::exchange {

struct Repeat {
  std::int64_t count;
  std::int64_t stride;  // B
};
// Nested loops, from the outermost to the innermost.
using Repeats = std::shared_ptr<const std::vector<Repeat>>;

// Runs of contiguous bytes in the order of nested loops. A face of an array of n dimensions needs n
// - 1 loops.
struct Region {
  std::int64_t offset = 0;  // of the first run [B]
  std::int64_t run = 0;     // length [B]
  Repeats repeats;          // null: one run

  std::int64_t bytes() const {
    std::int64_t result = run;
    if (repeats)
      for (const Repeat& repeat : *repeats) result *= repeat.count;
    return result;
  }
  bool contiguous() const { return !repeats || bytes() == run; }
  // The first byte after all runs, if strides are positive.
  std::int64_t end() const {
    std::int64_t result = offset + run;
    if (repeats)
      for (const Repeat& repeat : *repeats) result += (repeat.count - 1) * repeat.stride;
    return result;
  }
};

// The numbers of some items of a buffer, all of which have one size.
using Items = std::shared_ptr<const std::vector<int>>;

// The same region in each of some items.
struct Block {
  const std::vector<int>* items = nullptr;  // owned by the exchange
  Region region;

  std::int64_t bytes() const { return static_cast<std::int64_t>(items->size()) * region.bytes(); }
};

// Where an exchange finds its items. It is null in a skeleton run, which sends messages of the true
// sizes without contents.
struct ItemBuffer {
  std::byte* data = nullptr;
  std::int64_t item_size = 0;  // B
  bool on_device = false;      // in the memory of Executor::use_device; so is the other buffer

  ItemBuffer() = default;
  // An item has `count` values.
  template <class T>
  ItemBuffer(T* values, std::int64_t count, bool lies_on_device = false)
      : data(reinterpret_cast<std::byte*>(values)),
        item_size(count * static_cast<std::int64_t>(sizeof(T))),
        on_device(lies_on_device) {}
};

}  // namespace phasewise::exchange
