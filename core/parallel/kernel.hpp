// The cost of a kernel, stated once beside its loop: a roofline predicts the kernel's time from it,
// and a skeleton run charges it.
#pragma once

#include <string_view>

namespace phasewise::parallel {

struct KernelCard {
  std::string_view name;
  double flops;     // per item
  double bytes;     // per item, to and from memory
  bool vectorised;  // whether the loop that takes most of its time works on several items at once
};

}  // namespace phasewise::parallel
