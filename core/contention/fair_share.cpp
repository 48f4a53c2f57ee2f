#include "contention/fair_share.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace phasewise::contention {

FairShare::FairShare(const std::vector<double>& capacities) {
  links_.reserve(capacities.size());
  for (const double capacity : capacities) links_.push_back({.capacity = capacity});
}

void FairShare::count(std::span<const Flow> flows) {
  for (const int link : used_) {
    links_[link].number = 0;
    links_[link].demand = 0.0;
  }
  used_.clear();
  for (const Flow& flow : flows)
    for (std::size_t i = 0; i < flow.links.size(); ++i) {
      Link& link = links_[flow.links[i]];
      if (link.number++ == 0) used_.push_back(flow.links[i]);
      link.demand += flow.weight(i);
    }
  int at = 0;
  for (const int number : used_) {
    Link& link = links_[number];
    link.begin = at;
    link.size = 0;
    link.left = link.capacity;
    at += link.number;
  }
  flows_of_links_.resize(at);
  for (int i = 0; i < static_cast<int>(flows.size()); ++i)
    for (const int number : flows[i].links) {
      Link& link = links_[number];
      flows_of_links_[link.begin + link.size++] = i;
    }
}

void FairShare::fix(int flow, double rate, std::span<const Flow> flows,
                    std::vector<double>& rates) {
  rates[flow] = rate;
  for (std::size_t i = 0; i < flows[flow].links.size(); ++i) {
    Link& link = links_[flows[flow].links[i]];
    link.left -= flows[flow].weight(i) * rate;
    link.demand -= flows[flow].weight(i);
    --link.number;
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
  std::size_t bound = 0;
  while (true) {
    double least = std::numeric_limits<double>::infinity();
    std::erase_if(open_, [&](int link) { return links_[link].number == 0; });
    for (const int link : open_) least = std::min(least, links_[link].share());
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
    for (const int number : open_) {
      const Link& link = links_[number];
      if (link.number == 0 || link.share() > limit) continue;
      // Links filled before this one, with slightly larger shares, may have left it less than
      // `least`.
      const double share = std::max(link.share(), least);
      for (int i = link.begin; i < link.begin + link.size; ++i)
        if (rates[flows_of_links_[i]] < 0.0) fix(flows_of_links_[i], share, flows, rates);
    }
  }
}

}  // namespace phasewise::contention
