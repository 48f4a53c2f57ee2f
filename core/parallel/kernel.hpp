// What a kernel costs, stated once beside its loop: a roofline predicts its time from this, and a
// run without contents charges it.
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
