// Programs that cannot end.
#pragma once

#include <stdexcept>

namespace phasewise::contention {

// Ranks wait for each other for ever; the sentence says who waits for what.
struct WaitsForEver : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// All ranks come to their ends, and messages are left of which nobody has posted the other end.
struct OneEnd : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace phasewise::contention
