// Measured seconds by size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace phasewise::contention {

// Linear between increasing sizes [B] and beyond; below the first, in proportion to the size.
inline double seconds_along(const std::vector<double>& sizes, const std::vector<double>& seconds,
                            double size) {
  const auto above = std::upper_bound(sizes.begin(), sizes.end(), size) - sizes.begin();
  const auto count = static_cast<std::ptrdiff_t>(sizes.size());
  if (above == 0 || count == 1) return seconds.front() * size / sizes.front();
  const auto last = std::min(above, count - 1);
  const double share = (size - sizes[last - 1]) / (sizes[last] - sizes[last - 1]);
  return seconds[last - 1] + share * (seconds[last] - seconds[last - 1]);
}

// What a further message of a stream takes, and a further put, where a rank of a node sends many to
// another one and gets none meanwhile: the slower side's work, since both work at once. The first
// size is that of the shortest messages, which take the calls alone.
struct Streams {
  std::vector<double> sizes, messages, puts;
  // Seconds until a sender knows that a message has been got, beyond the message.
  double handshake = 0.0;
  bool known() const { return !sizes.empty(); }
  double message(double size) const { return seconds_along(sizes, messages, size); }
  double put(double size) const { return seconds_along(sizes, puts, size); }
};

// What a message takes beside its calls if another one goes the other way between the same ranks of
// a node. The first size may be 0.
struct Swaps {
  std::vector<double> sizes, seconds;
  bool known() const { return !sizes.empty(); }
  double message(double size) const { return seconds_along(sizes, seconds, size); }
};

}  // namespace phasewise::contention
