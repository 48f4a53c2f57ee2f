// The slices that a rank works on in a step, divided among its threads, and their particles.
#include <algorithm>
#include <numeric>

#include "collision/strong_strong.hpp"

namespace phasewise::collision {

std::vector<StrongStrong::Task> StrongStrong::tasks(const Step* now, const Step* next,
                                                    int parts) const {
  std::vector<Task> result;
  for (int slice = 0; slice < most_slices(ip_.slices); ++slice)
    for (int b = 0; b < 2; ++b)
      if (groups_.holds(b) &&
          ((now && now->contains(b, slice)) || (next && next->contains(b, slice))))
        for (int part = 0; part < parts; ++part) result.push_back({b, slice, part});
  return result;
}

// The number of parts into which each slice is divided, so that the threads share the work about
// evenly. Each part has its own charge grid.
int StrongStrong::parts_of_slices(const Step* now, const Step* next) const {
  const int whole = static_cast<int>(tasks(now, next, 1).size());
  const int even = threads_ / std::gcd(threads_, std::max(whole, 1));
  const int enough = (4 * threads_ + whole - 1) / std::max(whole, 1);
  return std::max(1, std::min(even, enough));
}

double StrongStrong::particles_in(const Step* now, const Step* next) const {
  double particles = 0.0;
  for (const Task& task : tasks(now, next, 1))
    particles += (*beams_)[task.beam].in_slice(task.slice);
  return particles;
}

double StrongStrong::particles_apart(const Step* now) const {
  if (now == nullptr || ip_.planes == 1) return 0.0;
  double particles = 0.0;
  for (const Task& task : tasks(now, nullptr, 1))
    if (apart(*now, task.beam, now->pair_of(task.beam, task.slice)))
      particles += (*beams_)[task.beam].in_slice(task.slice);
  return particles;
}

}  // namespace phasewise::collision
