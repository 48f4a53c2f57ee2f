#include "qcd/gauge/gradient_flow.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "qcd/phases.hpp"

namespace phasewise::qcd {

GradientFlow::GradientFlow(const Domain& domain, const FlowSetting& setting, int halo, int threads,
                           int lanes, bool real)
    : setting_(setting),
      threads_(threads),
      real_(real && setting.steps > 0),
      now_(domain, halo, real_),
      next_(domain, halo, real_),
      values_(static_cast<std::size_t>(setting.steps > 0 ? setting.steps + 1 : 0)) {
  set_lanes(lanes);
}

void GradientFlow::set_lanes(int lanes) {
  if (!real_) return;
  in_lanes_ = LaneMatrices(std::make_shared<LaneSites>(now_.box(), 1, lanes), axes);
  taken_ = false;
  k_.resize(static_cast<std::size_t>(axes * algebra_reals * now_.domain().volume()));
}

void GradientFlow::begin(const Links& links) {
  if (!real_) return;
  std::copy_n(links.matrices(), axes * links.box().sites(), now_.matrices());
  std::fill(k_.begin(), k_.end(), 0.0);
  taken_ = false;
}

const LaneMatrices& GradientFlow::take() {
  if (!taken_) in_lanes_.take(now_.matrices(), threads_);
  taken_ = true;
  return in_lanes_;
}

void GradientFlow::advance(const FlowStage& stage, workload::Listener& listener) {
  listener.kernel(flow_card(), static_cast<double>(now_.domain().volume()),
                  [&] { flow_stage(stage, setting_.step, take(), threads_, k_, next_); });
  std::swap(now_, next_);
  taken_ = false;
}

void GradientFlow::measure(int step, workload::Listener& listener) {
  FlowSums sums{};
  listener.kernel(flow_measures_card(), static_cast<double>(now_.domain().volume()),
                  [&] { sums = flow_sums(take(), now_.domain(), threads_); });
  listener.sum(phases::sum_flow, std::span(sums.front().data(), 2 * sums.size()));
  values_[static_cast<std::size_t>(step)] = values_of(sums, now_.domain().size);
}

}  // namespace phasewise::qcd
