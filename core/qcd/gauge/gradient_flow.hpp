// The gradient flow of a configuration, and what is measured along it.
#pragma once

#include <vector>

#include "qcd/gauge/flow_measures.hpp"
#include "qcd/gauge/flow_step.hpp"
#include "workload/listener.hpp"

namespace phasewise::qcd {

struct FlowSetting {
  double step = 0.0;
  int steps = 0;  // none: there is no flow
};

class GradientFlow {
 public:
  // `halo` is that of the links that flow; `real` says whether there is memory.
  GradientFlow(const Domain& domain, const FlowSetting& setting, int halo, int threads, int lanes,
               bool real);

  void set_lanes(int lanes);
  // exchange(links, listener) fetches the halo of links. The links that flow have theirs.
  template <class Exchange>
  void tell(const Links& links, workload::Listener& listener, Exchange&& exchange) {
    if (setting_.steps == 0) return;
    begin(links);
    measure(0, listener);
    for (int step = 1; step <= setting_.steps; ++step) {
      for (const FlowStage& stage : flow_stages) {
        advance(stage, listener);
        exchange(now_, listener);
      }
      measure(step, listener);
    }
  }
  // After 0, 1, … steps.
  const std::vector<FlowValues>& values() const { return values_; }
  const Links& links() const { return now_; }

 private:
  void begin(const Links& links);
  const LaneMatrices& take();
  void advance(const FlowStage& stage, workload::Listener& listener);
  void measure(int step, workload::Listener& listener);

  FlowSetting setting_;
  int threads_;
  bool real_;
  Links now_, next_;
  LaneMatrices in_lanes_;
  bool taken_ = false;  // whether these are the links of now
  std::vector<double> k_;
  std::vector<FlowValues> values_;
};

}  // namespace phasewise::qcd
