// Measured seconds by size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace phasewise::contention {

// Interpolates linearly between increasing sizes [B] and beyond them; below the first size the time
// is in proportion to the size.
inline double seconds_along(const std::vector<double>& sizes, const std::vector<double>& seconds,
                            double size) {
  const auto above = std::upper_bound(sizes.begin(), sizes.end(), size) - sizes.begin();
  const auto count = static_cast<std::ptrdiff_t>(sizes.size());
  if (above == 0 || count == 1) return seconds.front() * size / sizes.front();
  const auto last = std::min(above, count - 1);
  const double share = (size - sizes[last - 1]) / (sizes[last] - sizes[last - 1]);
  return seconds[last - 1] + share * (seconds[last] - seconds[last - 1]);
}

// The time of each further message of a stream, and of each further put, when a rank sends many to
// another rank of its node and receives none meanwhile. It is the work of the slower side, since
// both sides work at once. The first size is that of the shortest messages, which cost only the
// calls.
struct Streams {
  std::vector<double> sizes, messages, puts;
  // The seconds, beyond the message, until a sender knows that it has been received.
  double handshake = 0.0;
  bool known() const { return !sizes.empty(); }
  double message(double size) const { return seconds_along(sizes, messages, size); }
  double put(double size) const { return seconds_along(sizes, puts, size); }
};

// The time of a message besides its calls if another one goes the other way between the same two
// ranks of a node. The first size may be 0.
struct Swaps {
  std::vector<double> sizes, seconds;
  bool known() const { return !sizes.empty(); }
  double message(double size) const { return seconds_along(sizes, seconds, size); }
};

}  // namespace phasewise::contention
