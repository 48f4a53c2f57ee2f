// What is measured on a configuration: plaquettes, rectangles, the link trace, and Polyakov loops
// along each axis. These are sums over the whole lattice whose bits do not depend on ranks.
#pragma once

#include <array>
#include <vector>

#include "qcd/exchange/neighbours.hpp"
#include "qcd/gauge/loop_sums.hpp"
#include "workload/listener.hpp"

namespace phasewise::qcd {

class GaugeMeasurement {
 public:
  // `real` says whether it has memory. The position must outlive it.
  GaugeMeasurement(const Position& position, bool rectangles, int threads, bool real);

  exchange::Exchanges exchanges() const;
  // Reports all actions to the listener; `links` must have its halo.
  void tell(const Links& links, workload::Listener& listener);
  const GaugeValues& values() const { return values_; }

 private:
  void chain(const Links& links, int axis, workload::Listener& listener);

  const Position& position_;
  Domain domain_;
  bool rectangles_;
  int threads_;
  std::array<std::vector<exchange::ExchangePointer>, axes>
      steps_;                    // exchanges of the loops' products
  std::vector<Matrix> product_;  // one for each site of a face
  LaneMatrices in_lanes_;
  GaugeValues values_;
};

}  // namespace phasewise::qcd
