#include "sphere/division.hpp"

namespace phasewise::sphere {

Division::Division(int truncation, int pairs, int groups, int ranks, bool whole_groups)
    : pairs_(pairs), groups_(groups), ranks_(ranks), whole_groups_(whole_groups) {
  for (int low = 0, high = truncation; low <= high; ++low, --high) {
    order_.push_back(low);
    if (high > low) order_.push_back(high);
  }
  before_.push_back(0);
  for (const int m : order_) before_.push_back(before_.back() + truncation - m + 1);
}

Range Division::pairs_of(int rank) const {
  if (!whole_groups_) return exchange::share(pairs_, ranks_, rank);
  const auto [first, last] = groups_of(rank);
  return {pairs_of_group(first).first, pairs_of_group(last - 1).second};
}

}  // namespace phasewise::sphere
