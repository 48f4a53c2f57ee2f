// Sweeps of heat-bath and over-relaxation with Wilson's gauge action, which depends on a link U
// only by Re tr U V†, V the sum of its staples.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "qcd/exchange/neighbours.hpp"
#include "qcd/gauge/lane_matrices.hpp"
#include "qcd/update/momenta.hpp"

namespace phasewise::qcd {

enum class Sweep : std::uint8_t { heat_bath, over_relaxation };

// An item is a link.
parallel::KernelCard sweep_card(Sweep kind);

class HeatBath {
 public:
  // The fields must outlive it. Their links need a halo.
  HeatBath(UpdateFields& fields, double beta);

  // In the same order on all ranks.
  exchange::Exchanges exchanges() const;
  // Updates each link once, on one axis and parity after the other, and sends what has changed to
  // the neighbours. Counts the fields' version. Random numbers belong to the trajectory: it has one
  // sweep of heat-bath.
  void sweep(Sweep kind, std::int64_t trajectory, workload::Listener& listener);

 private:
  // The own vectors with sites of a parity, a bit for each of these lanes, and such vectors of the
  // halo.
  struct Parity {
    std::vector<std::int32_t> numbers, halo;
    std::vector<unsigned> lanes;
  };
  struct Subset {
    int mu, parity;
  };
  // Takes what has changed in the array of links since the last update.
  void take_links();
  void list_sites();
  void update(Sweep kind, std::int64_t trajectory, const Subset& subset);
  template <int Lanes>
  using InLanes = ColourMatrix<parallel::Vector<double, Lanes>>;
  // The links of an own vector along mu, with these sums of staples.
  template <int Lanes>
  auto updated(Sweep kind, std::int64_t trajectory, int mu, std::int64_t number,
               const InLanes<Lanes>& around) const;
  template <int Lanes>
  void set_links(InLanes<Lanes> link, int mu, std::int32_t vector, unsigned lanes);
  void exchange(const Subset& subset, workload::Listener& listener);

  UpdateFields& fields_;
  double beta_;
  int lanes_ = 0;               // that were asked for
  std::int64_t version_ = 0;    // of the links in lanes
  std::optional<Subset> sent_;  // the last subset, whose halo is not yet in lanes
  std::shared_ptr<const LaneSites> sites_;
  LaneMatrices links_;
  std::array<Parity, 2> parities_;
  std::vector<std::int64_t> global_;  // number of each own site in the lattice
  // [axis of the links][parity][axis of the exchange, where that is split].
  std::array<std::array<exchange::Exchanges, 2>, axes> exchanges_;
};

}  // namespace phasewise::qcd
