// Which site lies where in a field of one parity.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "qcd/dirac/hopping.hpp"
#include "qcd/dirac/spin.hpp"

namespace phasewise::qcd {

// A slot is 'vector × lanes + lane'.
class FieldSites {
 public:
  FieldSites() = default;
  template <class Real>
  explicit FieldSites(const Hopping<Real>& kernel) : lanes_(kernel.lanes()) {
    const Extents box = kernel.shape().box;
    for (auto& sites : sites_) sites.resize(static_cast<std::size_t>(volume_of(box) / 2));
    std::int32_t site = 0;
    for_each_site(box, [&](const Extents& at) {
      sites_[parity_of(at)][static_cast<std::size_t>(slot_of(kernel.place(at), lanes_))] = site++;
    });
  }

  static std::int64_t slot_of(std::int64_t place, int lanes) {
    return place / (spinor_reals * lanes) * lanes + place % lanes;
  }

  int lanes() const { return lanes_; }
  std::int64_t vectors() const { return static_cast<std::int64_t>(sites_[0].size()) / lanes_; }
  // The numbers of the sites of a vector in the rank's box, x fastest.
  const std::int32_t* sites(int parity, std::int64_t vector) const {
    return sites_[parity].data() + vector * lanes_;
  }

 private:
  int lanes_ = 0;
  std::array<std::vector<std::int32_t>, 2> sites_;
};

}  // namespace phasewise::qcd
