// The action of the gauge field in a trajectory, Σ over plaquettes and rectangles (setting.hpp),
// and its force
//   F = i Σ_a T_a ∂_a S = (β/6) [U V†], V the weighted sum of the ways around a link,
// where [] is the traceless anti-Hermitian part, (a - a†)/2 without its trace.
#pragma once

#include "qcd/update/links_in_lanes.hpp"
#include "qcd/update/monomial.hpp"
#include "qcd/update/setting.hpp"

namespace phasewise::qcd {

// An item is a site with its four links.
parallel::KernelCard gauge_force_card(const GaugeAction& action);
parallel::KernelCard gauge_action_card(const GaugeAction& action);

class GaugeMonomial final : public Monomial {
 public:
  // Rectangles need links with two planes of halo. The fields must outlive it.
  GaugeMonomial(UpdateFields& fields, const GaugeAction& action);

  std::string_view name() const override { return "gauge"; }
  double action(workload::Listener& listener) override;

 private:
  void add_force(double step, workload::Listener& listener) override;

  GaugeAction action_;
  LinksInLanes links_;
};

}  // namespace phasewise::qcd
