// On which planes a slice's charge is laid for the slices that it meets, and where each plane lies
// in a buffer. With two planes a slice meets an opposing one at its head and at its tail. The tail
// of one opposing slice is the head of the next: neighbours may share what a slice leaves there,
// its charge and its potential, which are then laid and solved for once, before the slice meets the
// first of the two. Only the slice that is met first has a head of its own.
#pragma once

#include <utility>
#include <vector>

#include "collision/exchange/schedule.hpp"

namespace phasewise::collision {

struct Planes {
  int each = 1;         // for each pair of slices
  bool shared = false;  // by neighbouring slices; only if there are two

  // The first plane of a pair that is laid for it: 0, or 1 if the head is kept from before.
  int first_laid(const Step& step, int beam, int p) const {
    return shared && step.other(beam, p) > 0 ? each - 1 : 0;
  }
  // The place of a plane of this beam's charge, or of its potential, in a buffer of planes. Shared
  // planes lie in two halves, between which the tails alternate from step to step: a step's heads
  // are the tails of the step before. In a half, slices that meet at one time have places of their
  // own, which stay theirs from step to step. They ascend with p, and go on from the first place
  // after the last.
  int item(const Step& step, int beam, int p, int plane) const {
    if (!shared) return p * each + plane;
    const int slots = most_pairs(step.slices), own = step.own(beam, p);
    const int ascending = beam == 0 ? own : step.slices[1] - 1 - own;
    return (step.k + 1 + plane) % 2 * slots + ascending % slots;
  }
  // Appends the places of the planes that are laid for a pair.
  void append_laid(const Step& step, int beam, int p, std::vector<int>& to) const {
    for (int plane = first_laid(step, beam, p); plane < each; ++plane)
      to.push_back(item(step, beam, p, plane));
  }
  std::vector<int> laid(const Step& step, int beam, const std::vector<int>& pairs) const {
    std::vector<int> result;
    for (const int p : pairs) append_laid(step, beam, p, result);
    return result;
  }
  // The number of places that all pairs of a step take.
  int places(const Slices& slices) const { return each * most_pairs(slices); }
  bool operator==(const Planes&) const = default;
};

// Runs of consecutive numbers: the first of each, and how many there are.
inline std::vector<std::pair<int, int>> runs_of(const std::vector<int>& items) {
  std::vector<std::pair<int, int>> result;
  for (const int item : items) {
    if (!result.empty() && result.back().first + result.back().second == item)
      ++result.back().second;
    else
      result.emplace_back(item, 1);
  }
  return result;
}

}  // namespace phasewise::collision
