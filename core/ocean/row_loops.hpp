// Loops over the cells of a row and their levels, in the two orders of the kernels.
#pragma once

#include <cstdint>

#include "ocean/values.hpp"

namespace phasewise::ocean {

// fast: vectors along x, with the levels outside. plain: down one column after the other, without
// vectors. Both leave the same bits.
enum class Kernel : std::uint8_t { fast, plain };

struct Span {
  int first, last;  // cells first … last - 1 along x
};

// Calls f<V>(i) for vectors of cells, and for one at a time where fewer are left.
template <class F>
PHASEWISE_HD void for_vectors(Span span, F&& f) {
  int i = span.first;
  for (; i + parallel::lanes <= span.last; i += parallel::lanes) f.template operator()<Lanes>(i);
  if constexpr (parallel::lanes > 4)
    for (; i + 4 <= span.last; i += 4) f.template operator()<Few>(i);
  for (; i < span.last; ++i) f.template operator()<double>(i);
}

// Calls f<V>(level, i) for all levels, from the surface down.
template <Kernel kernel, class F>
PHASEWISE_HD void downwards(Span span, int levels, F&& f) {
  if constexpr (kernel == Kernel::fast) {
    for (int level = 0; level < levels; ++level)
      for_vectors(
          span, [&]<class V>(int i)
                    __attribute__((always_inline)) { f.template operator()<V>(level, i); });
  } else {
    for (int i = span.first; i < span.last; ++i)
      for (int level = 0; level < levels; ++level) f.template operator()<double>(level, i);
  }
}

// The same from the deepest level up.
template <Kernel kernel, class F>
PHASEWISE_HD void upwards(Span span, int levels, F&& f) {
  if constexpr (kernel == Kernel::fast) {
    for (int level = levels - 1; level >= 0; --level)
      for_vectors(
          span, [&]<class V>(int i)
                    __attribute__((always_inline)) { f.template operator()<V>(level, i); });
  } else {
    for (int i = span.first; i < span.last; ++i)
      for (int level = levels - 1; level >= 0; --level) f.template operator()<double>(level, i);
  }
}

// Calls f<Kernel>() for the kernel that is chosen.
template <class F>
void with_kernel(Kernel kernel, F&& f) {
  if (kernel == Kernel::fast)
    f.template operator()<Kernel::fast>();
  else
    f.template operator()<Kernel::plain>();
}

}  // namespace phasewise::ocean
