// The offset of this rank's clock from that of rank 0, times that messages carry in their tags, and
// the wait for an agreed start.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <thread>

#include "comm/agreed_start.hpp"
#include "comm/mpi/handle.hpp"

namespace phasewise::comm {
namespace {

constexpr int tries = 10;              // round trips, the quickest of which counts
constexpr double shortest_span = 4.0;  // s, the shortest time after which tags may repeat

// Returns the offset from rank 0's clock, by a parent that answers with rank 0's time at the middle
// of the quickest round trip. Clocks that agree within half a round trip are treated as one, like
// those of one node.
double offset_by(int parent, MPI_Comm comm) {
  double quickest = std::numeric_limits<double>::max(), offset = 0.0;
  for (int i = 0; i < tries; ++i) {
    double answer[2];  // s: the parent's own clock, and rank 0's
    const double start = parallel::clock().now();
    MPI_Send(nullptr, 0, MPI_DOUBLE, parent, 0, comm);
    MPI_Recv(answer, 2, MPI_DOUBLE, parent, 0, comm, MPI_STATUS_IGNORE);
    const double end = parallel::clock().now();
    if (end - start >= quickest) continue;
    quickest = end - start;
    const double to_parent = answer[0] - 0.5 * (start + end);
    const bool same = std::abs(to_parent) <= 0.5 * quickest;
    offset = answer[1] - answer[0] + (same ? 0.0 : to_parent);
  }
  return offset;
}

void answer(int child, double offset, MPI_Comm comm) {
  for (int i = 0; i < tries; ++i) {
    MPI_Recv(nullptr, 0, MPI_DOUBLE, child, 0, comm, MPI_STATUS_IGNORE);
    const double mine = parallel::clock().now();
    const double times[2] = {mine, mine + offset};
    MPI_Send(times, 2, MPI_DOUBLE, child, 0, comm);
  }
}

}  // namespace

// The time is passed down a binomial tree, in log2 p rounds of a few messages each.
double measure_clock_offset(MPI_Comm comm) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (size == 1 || simulated()) return 0.0;
  const unsigned me = static_cast<unsigned>(rank);
  const unsigned low_bit = rank == 0 ? std::bit_ceil(static_cast<unsigned>(size)) : me & (~me + 1);
  const double offset = rank == 0 ? 0.0 : offset_by(rank - static_cast<int>(low_bit), comm);
  for (unsigned step = low_bit / 2; step > 0; step /= 2)
    if (me + step < static_cast<unsigned>(size)) answer(static_cast<int>(me + step), offset, comm);
  return offset;
}

int largest_tag() {
  int* value = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &known);
  return known ? *value : 32767;  // what the standard guarantees
}

TagClock::TagClock(int largest_tag, double offset)
    : mask_((std::bit_floor(static_cast<unsigned>(largest_tag) + 1u) - 1) & 0x3fffffff),
      ticks_per_second_(std::min(1e6, (static_cast<double>(mask_) + 1.0) / shortest_span)),
      offset_(offset) {}

double TagClock::after(int tag, double time) const {
  std::int64_t difference = (tag - ticks(time)) & mask_;
  if (difference > mask_ / 2) difference -= mask_ + 1;
  return static_cast<double>(difference) / ticks_per_second_;
}

bool wait_until(double time) {
  const auto ahead = [&] { return time - parallel::clock().now(); };
  if (ahead() < 0.0) return false;
  if (simulated()) {
    pass(ahead());  // a simulated clock stands still while it is read
    return true;
  }
  for (double left = ahead(); left > 0.0; left = ahead())
    if (left > spin) std::this_thread::yield();
  return true;
}

}  // namespace phasewise::comm
