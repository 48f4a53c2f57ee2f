// What is measured on a configuration: plaquettes, rectangles, the link trace, and Polyakov loops
// along each axis. These are sums over the whole lattice whose bits do not depend on ranks.
#pragma once

#include <array>
#include <vector>

#include "qcd/exact_sum.hpp"
#include "qcd/gauge/links.hpp"
#include "workload/listener.hpp"

namespace phasewise::qcd {

// Means, normalised so that they are 1 for unit matrices.
struct GaugeValues {
  double plaquette_space = 0.0, plaquette_time = 0.0, rectangle = 0.0, link_trace = 0.0;
  std::array<Complex, axes> polyakov{};

  double plaquette() const { return 0.5 * (plaquette_space + plaquette_time); }
};

class GaugeMeasurement {
 public:
  // `real` says whether it has memory. The position must outlive it.
  GaugeMeasurement(const Position& position, bool rectangles, int threads, bool real);

  exchange::Exchanges exchanges() const;
  // Reports all actions to the listener; `links` must have its halo.
  void tell(const Links& links, workload::Listener& listener);
  const GaugeValues& values() const { return values_; }

 private:
  static constexpr int values_of_sum = 4 + 2 * axes;
  using Sums = std::array<Parts, values_of_sum>;

  void add_local(const Links& links, Sums& sums) const;
  void multiply_along(const Links& links, int axis);
  void add_loops(int axis, Sums& sums) const;
  void chain(const Links& links, int axis, workload::Listener& listener);
  void read(const Sums& sums);

  const Position& position_;
  Domain domain_;
  bool rectangles_;
  int threads_;
  std::array<std::vector<exchange::ExchangePointer>, axes>
      steps_;                    // exchanges of the loops' products
  std::vector<Matrix> product_;  // one for each site of a face
  GaugeValues values_;
};

}  // namespace phasewise::qcd
