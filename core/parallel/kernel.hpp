// The cost of a kernel, stated once beside its loop: a roofline predicts the kernel's time from it,
// and a skeleton run charges it.
#pragma once

#include <string_view>

namespace phasewise::parallel {

struct KernelCard {
  std::string_view name;
  double flops;     // per item
  double bytes;     // per item, to and from memory
  bool vectorised;  // whether its longest loop works on several items at once
  // Bytes of an item's data. A byte that is both read and written counts once; 0: none is moved
  // twice.
  double touched = 0.0;
  // The loop finishes an item before it begins the next one, and passes over its data several
  // times.
  bool item_by_item = false;
  // The loops that a vector processor would run: the number of iterations of each (0: one loop over
  // all items of a call), and how many such loops an item takes (0: an item is an iteration).
  double trip = 0.0;
  double loops = 0.0;
  bool single = false;  // flops of single precision
  // Additions of an item to values that other items add to as well; they are atomic if items are
  // threads.
  double additions = 0.0;
};

// The bytes that a call with these items touches, or touches before it proceeds to the next item.
// In a memory level of that size the kernel may find its data.
inline double working_set(const KernelCard& card, double items) {
  const double touched = card.touched > 0.0 ? card.touched : card.bytes;
  return card.item_by_item ? touched : items * touched;
}

}  // namespace phasewise::parallel
