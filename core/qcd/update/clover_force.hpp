// The force of what depends on the field strength. With δS = Σ_x Σ_p Re tr T_p(x) δF_p(x), six
// anti-Hermitian matrices T a site for the planes xy xz xt yz yt zt, F with its trace
// (clover_strength), it is F = i Σ_a T_a ∂_a S of each link: the plaquettes through the link
// with T put in at one of their four corners.
#pragma once

#include <array>

#include "qcd/exchange/neighbours.hpp"
#include "qcd/update/links_in_lanes.hpp"

namespace phasewise::qcd {

// An item is a site with its four links.
parallel::KernelCard clover_force_card();

class CloverForce {
 public:
  // The fields must outlive it. Their links need a halo.
  explicit CloverForce(UpdateFields& fields);

  // In the same order on all ranks.
  exchange::Exchanges exchanges() const;
  // T of all planes of each site, [HaloBox::index][plane]; the halo is fetched by add().
  Matrix* tensor() { return tensor_.data(); }
  const HaloBox& box() const { return box_; }
  // The links of now in vectors.
  const LaneMatrices& links() { return links_.of(fields_); }
  // to -= step F, [own site][4], with the norms of F where they are wanted.
  void add(double step, Momenta& to, ForceNorms* norms, workload::Listener& listener);

 private:
  UpdateFields& fields_;
  HaloBox box_;
  parallel::Buffer<Matrix> tensor_;
  std::array<exchange::ExchangePointer, axes> exchanges_;
  LinksInLanes links_{1};
  int lanes_ = 0;
  LaneMatrices tensor_in_lanes_;
};

}  // namespace phasewise::qcd
