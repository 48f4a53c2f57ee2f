#include "schedule/schedule.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>

namespace phasewise::schedule {

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

}  // namespace

Schedule::Schedule(const Measured& measured) : measured_(measured) {
  check();
  put_in_order();
  const auto calls = static_cast<std::int64_t>(measured_.start.size());
  for (const std::int32_t group : measured_.group)
    groups_ = std::max<std::int64_t>(groups_, group + 1);
  // A call's own time is what follows after it was released, as measured.
  own_.assign(static_cast<std::size_t>(calls), 0.0);
  std::vector<double> started(measured_.start.begin(), measured_.start.end());
  std::vector<double> last(static_cast<std::size_t>(groups_), never);
  each([&](std::int64_t call, std::int32_t, bool ends) {
    const auto at = static_cast<std::size_t>(call);
    if (ends)
      own_[at] = std::max(0.0, measured_.end[at] - released(call, started, last));
    else if (measured_.group[at] >= 0 && (measured_.role[at] & gives))
      last[measured_.group[at]] = std::max(last[measured_.group[at]], started[at]);
  });
}

void Schedule::check() const {
  const Measured& m = measured_;
  const std::size_t calls = m.start.size(), lanes = m.began.size();
  const auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  bool fits = calls <= most && m.end.size() == calls && m.group.size() == calls &&
              m.role.size() == calls && m.waits.size() == calls + 1 && m.ended.size() == lanes &&
              m.first.size() == lanes + 1;
  fits = fits && m.first.front() == 0 && m.first.back() == static_cast<std::int64_t>(calls) &&
         std::is_sorted(m.first.begin(), m.first.end()) && m.waits.front() == 0 &&
         m.waits.back() == static_cast<std::int64_t>(m.waits_for.size()) &&
         std::is_sorted(m.waits.begin(), m.waits.end());
  fits = fits && std::all_of(m.waits_for.begin(), m.waits_for.end(), [&](std::int32_t call) {
           return call >= 0 && static_cast<std::size_t>(call) < calls;
         });
  if (!fits) throw std::invalid_argument("the calls of a schedule do not fit each other");
}

// Beginnings and ends of all lanes in the order of their times.
void Schedule::put_in_order() {
  const auto lanes = static_cast<std::int32_t>(measured_.began.size());
  lane_.resize(measured_.start.size());
  order_.reserve(2 * lane_.size());
  using Next = std::pair<double, std::int32_t>;  // time and lane of the next event
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  std::vector<std::int64_t> at(measured_.first.begin(), measured_.first.end() - 1);
  std::vector<std::uint8_t> inside(static_cast<std::size_t>(lanes), 0);
  for (std::int32_t lane = 0; lane < lanes; ++lane)
    if (at[lane] < measured_.first[lane + 1]) next.emplace(measured_.start[at[lane]], lane);
  while (!next.empty()) {
    const std::int32_t lane = next.top().second;
    next.pop();
    const std::int64_t call = at[lane];
    const bool ends = inside[lane] != 0;
    lane_[call] = lane;
    order_.push_back(2 * static_cast<std::uint32_t>(call) + (ends ? 1U : 0U));
    inside[lane] = ends ? 0 : 1;
    at[lane] += ends ? 1 : 0;
    if (!ends)
      next.emplace(measured_.end[call], lane);
    else if (at[lane] < measured_.first[lane + 1])
      next.emplace(measured_.start[at[lane]], lane);
  }
}

template <class F>
void Schedule::each(const F& f) const {
  for (const std::uint32_t event : order_) {
    const std::int64_t call = event / 2;
    f(call, lane_[call], event % 2 == 1);
  }
}

double Schedule::released(std::int64_t call, const std::vector<double>& started,
                          const std::vector<double>& last) const {
  const auto at = static_cast<std::size_t>(call);
  double time = started[at];
  for (std::int64_t k = measured_.waits[at]; k < measured_.waits[at + 1]; ++k) {
    const auto other = static_cast<std::size_t>(measured_.waits_for[k]);
    // What clocks show as later than the end cannot have been waited for.
    if (measured_.start[other] < measured_.end[at]) time = std::max(time, started[other]);
  }
  const std::int32_t group = measured_.group[at];
  if (group >= 0 && (measured_.role[at] & needs)) time = std::max(time, last[group]);
  return time;
}

double Schedule::end_without(std::span<const std::int32_t> labels, Without what) const {
  if (labels.size() != measured_.start.size())
    throw std::invalid_argument("there is not one label for each call");
  std::vector<double> started(labels.size()), now(measured_.began.begin(), measured_.began.end());
  std::vector<double> last(static_cast<std::size_t>(groups_), never), before(now);
  each([&](std::int64_t call, std::int32_t lane, bool ends) {
    const auto at = static_cast<std::size_t>(call);
    const bool gone = labels[at] == what.label;
    if (ends) {
      now[lane] = released(call, started, last) + (gone && !what.gap ? 0.0 : own_[at]);
      before[lane] = measured_.end[at];
      return;
    }
    // In `before` is when the call before it ended as measured.
    const double gap = std::max(0.0, measured_.start[at] - before[lane]);
    started[at] = now[lane] + (gone && what.gap ? 0.0 : gap);
    const std::int32_t group = measured_.group[at];
    if (group >= 0 && (measured_.role[at] & gives))
      last[group] = std::max(last[group], started[at]);
  });
  double end = never;
  for (std::size_t lane = 0; lane < now.size(); ++lane)
    end = std::max(end, now[lane] + std::max(0.0, measured_.ended[lane] - before[lane]));
  return end;
}

}  // namespace phasewise::schedule
