// Recursive halving for any number of members p; the nearest members exchange first.
//
// Each block of s consecutive members has the block's sums of all p chunks; one of its members, the
// chunk's handler, holds the sum of a chunk. At first every member is a block. In round k a left
// half A of 2^k members and its right neighbour B of s_B <= 2^k merge: of their two handlers of a
// chunk one remains, and the other sends its sum to it. With n the power of two at or above s, the
// handler of chunk o is
//     handler(o, s) = i if i < s, else i - n/2,   i = o mod n,
// so that in the end (s = p) it is the chunk's owner. The handler in A is a = o mod 2^k, in B it is
// b = handler(a, s_B); after the merge it is b if o has the bit 2^k and a < s_B (then b = a), and
// else a. With a power of two, each round has therefore one message each way, of p/2, p/4, …
// chunks, with me XOR 2^k. Otherwise a member of B stands for one or two classes of chunks modulo
// n(s_B), and exchanges with each member of A that they belong to. Everyone sends p - 1 chunks in
// all.
//
// For powers of two: Thakur, Rabenseifner, Gropp, Int. J. High Perform. Comput. Appl. 19 (2005) 49,
// where the farthest members exchange first.
#include <algorithm>
#include <bit>

#include "exchange/rounds.hpp"

namespace phasewise::exchange {
namespace {

int power_above(int s) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(s))); }

int handler(int chunk, int s) {
  const int n = power_above(s), i = chunk & (n - 1);
  return i < s ? i : i - n / 2;
}

std::vector<int> every(int stride, int first, int end) {
  std::vector<int> result;
  if (first < end) result.reserve((end - first - 1) / stride + 1);
  for (int chunk = first; chunk < end; chunk += stride) result.push_back(chunk);
  return result;
}

void add(std::vector<Transfer>& transfers, int peer, std::vector<int> chunks) {
  if (!chunks.empty()) transfers.push_back({peer, std::move(chunks)});
}

// The two halves that merge in a round: A = [start, start + half), B = [start + half, … + right).
struct Merge {
  int start, half, right, p;

  // The chunks that member a of A sends to its counterpart: those of its class with the bit `half`.
  std::vector<int> kept_in_b(int a) const {
    return a < right ? every(2 * half, a + half, p) : std::vector<int>{};
  }
  // The chunks that it receives: those of its class without the bit, or all if it has no
  // counterpart.
  std::vector<int> kept_in_a(int a) const { return every(a < right ? 2 * half : half, a, p); }
};

Round round_in_a(const Merge& merge, int a) {
  Round round;
  const int b = merge.start + merge.half + handler(a, merge.right);
  add(round.sends, b, merge.kept_in_b(a));
  add(round.receives, b, merge.kept_in_a(a));
  return round;
}

Round round_in_b(const Merge& merge, int b) {
  Round round;
  const int n = power_above(merge.right), partner = merge.start + b;
  add(round.receives, partner, merge.kept_in_b(b));
  const bool two_classes = b + n / 2 >= merge.right && b + n / 2 < n;
  for (int first = 0; first < merge.half; first += n) {
    add(round.sends, merge.start + first + b, merge.kept_in_a(first + b));
    if (two_classes)
      add(round.sends, merge.start + first + b + n / 2, merge.kept_in_a(first + b + n / 2));
  }
  return round;
}

}  // namespace

Rounds hypercube_rounds(int me, int p) {
  Rounds rounds;
  for (int half = 1; half < p; half *= 2) {
    const int start = me / (2 * half) * 2 * half;
    const Merge merge{start, half, std::min(half, p - start - half), p};
    const int place = me - start;
    if (merge.right <= 0)
      rounds.emplace_back();
    else if (place < half)
      rounds.push_back(round_in_a(merge, place));
    else
      rounds.push_back(round_in_b(merge, place - half));
  }
  return rounds;
}

}  // namespace phasewise::exchange
