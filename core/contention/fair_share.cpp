#include "contention/fair_share.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace phasewise::contention {

FairShare::FairShare(std::vector<double> capacities)
    : capacity_(std::move(capacities)),
      left_(capacity_.size()),
      number_(capacity_.size(), 0),
      begin_(capacity_.size()) {}

void FairShare::count(std::span<const Flow> flows) {
  for (const int link : used_) number_[link] = 0;
  used_.clear();
  for (const Flow& flow : flows)
    for (const int link : flow.links)
      if (number_[link]++ == 0) used_.push_back(link);
  int at = 0;
  for (const int link : used_) {
    begin_[link] = at;
    at += number_[link];
    left_[link] = capacity_[link];
  }
  flows_of_links_.resize(at);
  for (int i = 0; i < static_cast<int>(flows.size()); ++i)
    for (const int link : flows[i].links) flows_of_links_[begin_[link]++] = i;
  for (const int link : used_) begin_[link] -= number_[link];
}

void FairShare::fix(int flow, double rate, std::span<const Flow> flows,
                    std::vector<double>& rates) {
  rates[flow] = rate;
  for (const int link : flows[flow].links) {
    left_[link] -= rate;
    --number_[link];
  }
}

void FairShare::sort_bounds(std::span<const Flow> flows) {
  for (Bound& bound : bounds_) bound.flows.clear();
  for (int i = 0; i < static_cast<int>(flows.size()); ++i) {
    const auto place =
        std::lower_bound(bounds_.begin(), bounds_.end(), flows[i].max_rate,
                         [](const Bound& bound, double rate) { return bound.max_rate < rate; });
    if (place != bounds_.end() && place->max_rate == flows[i].max_rate)
      place->flows.push_back(i);
    else
      bounds_.insert(place, {flows[i].max_rate, {i}});
  }
}

void FairShare::rates(std::span<const Flow> flows, double tolerance, std::vector<double>& rates) {
  rates.assign(flows.size(), -1.0);
  count(flows);
  sort_bounds(flows);
  open_ = used_;
  size_ = number_;
  std::size_t bound = 0;
  while (true) {
    double least = std::numeric_limits<double>::infinity();
    std::erase_if(open_, [&](int link) { return number_[link] == 0; });
    for (const int link : open_) least = std::min(least, left_[link] / number_[link]);
    for (; bound < bounds_.size() && bounds_[bound].max_rate <= least; ++bound) {
      bool any = false;
      for (const int flow : bounds_[bound].flows)
        if (rates[flow] < 0.0) {
          fix(flow, bounds_[bound].max_rate, flows, rates);
          any = true;
        }
      if (any) break;
    }
    if (bound < bounds_.size() && bounds_[bound].max_rate <= least) {
      ++bound;
      continue;
    }
    if (open_.empty()) return;
    const double limit = least * (1.0 + tolerance);
    for (const int link : open_) {
      if (number_[link] == 0 || left_[link] / number_[link] > limit) continue;
      // Links filled before this one, with slightly larger shares, may have left it less than
      // `least`.
      const double share = std::max(left_[link] / number_[link], least);
      for (int i = begin_[link]; i < begin_[link] + size_[link]; ++i)
        if (rates[flows_of_links_[i]] < 0.0) fix(flows_of_links_[i], share, flows, rates);
    }
  }
}

}  // namespace phasewise::contention
