#include "qcd/gauge/gradient_flow.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "qcd/phases.hpp"

namespace phasewise::qcd {

GradientFlow::GradientFlow(const Domain& domain, const FlowSetting& setting, int halo, int threads,
                           int lanes, bool real)
    : setting_(setting),
      threads_(threads),
      lanes_(lanes),
      real_(real && setting.steps > 0),
      now_(domain, halo, real_),
      next_(domain, halo, real_),
      values_(static_cast<std::size_t>(setting.steps > 0 ? setting.steps + 1 : 0)) {
  if (!real_) return;
  sites_ = LinkSites(now_);
  k_.resize(static_cast<std::size_t>(axes * algebra_reals * domain.volume()));
}

void GradientFlow::begin(const Links& links) {
  if (!real_) return;
  std::copy_n(links.matrices(), axes * links.box().sites(), now_.matrices());
  std::fill(k_.begin(), k_.end(), 0.0);
}

void GradientFlow::advance(const FlowStage& stage, workload::Listener& listener) {
  listener.kernel(flow_card(), static_cast<double>(now_.domain().volume()), [&] {
    flow_stage(stage, setting_.step, sites_, now_, threads_, lanes_, k_, next_);
  });
  std::swap(now_, next_);
}

void GradientFlow::measure(int step, workload::Listener& listener) {
  FlowSums sums{};
  listener.kernel(flow_measures_card(), static_cast<double>(now_.domain().volume()),
                  [&] { sums = flow_sums(sites_, now_, threads_, lanes_); });
  listener.sum(phases::sum_flow, std::span(sums.front().data(), 2 * sums.size()));
  values_[static_cast<std::size_t>(step)] = values_of(sums, now_.domain().size);
}

}  // namespace phasewise::qcd
