// Which pairs of latitudes and which wavenumbers each rank has.
//
// The Legendre transform of wavenumber m takes M - m + 1 degrees, so that m and M - m are dealt
// together: 0, M, 1, M - 1, 2, … Wavenumbers are stored in this order, and each rank has a run of
// it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "exchange/share.hpp"

namespace phasewise::sphere {

using exchange::Range;
using exchange::size_of;

class Division {
 public:
  // With `whole_groups` a rank has whole groups of pairs, which it sums by itself.
  Division(int truncation, int pairs, int groups, int ranks, bool whole_groups);

  int ranks() const { return ranks_; }
  int pairs() const { return pairs_; }
  // All wavenumbers, as they are dealt.
  const std::vector<int>& order() const { return order_; }
  // A rank's places in that order, and its pairs of latitudes.
  Range wavenumbers(int rank) const {
    return exchange::share(static_cast<int>(order_.size()), ranks_, rank);
  }
  Range pairs_of(int rank) const;
  Range pairs_of_group(int group) const { return exchange::share(pairs_, groups_, group); }
  // The groups whose pairs a rank has: all of them if it has whole wavenumbers.
  Range groups_of(int rank) const {
    return whole_groups_ ? exchange::share(groups_, ranks_, rank) : Range{0, groups_};
  }

  // The coefficients (m, l) of the places before one, in the order of storage, degrees m … M.
  std::int64_t coefficients_before(int place) const { return before_[place]; }
  std::int64_t coefficients_of(const Range& places) const {
    return before_[places.second] - before_[places.first];
  }

 private:
  int pairs_, groups_, ranks_;
  bool whole_groups_;
  std::vector<int> order_;
  std::vector<std::int64_t> before_;
};

}  // namespace phasewise::sphere
