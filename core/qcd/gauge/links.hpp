// The links of a rank with a halo of its neighbours' links, and what is measured on them.
#pragma once

#include "parallel/buffer.hpp"
#include "qcd/exchange/halo_box.hpp"
#include "qcd/gauge/su3.hpp"

namespace phasewise::qcd {

class Links {
 public:
  // `halo` is the number of planes on either side of a split axis; `real` says whether there is
  // memory.
  Links(const Domain& domain, int halo, bool real);

  const Domain& domain() const { return box_.domain(); }
  const HaloBox& box() const { return box_; }
  // U_µ(x) at local coordinates, as in HaloBox::index.
  const Matrix& at(const Extents& site, int direction) const {
    return links_.data()[axes * box_.index(site) + direction];
  }
  Matrix& at(const Extents& site, int direction) {
    return links_.data()[axes * box_.index(site) + direction];
  }
  // All links of the box, those of a site beside each other.
  const Matrix* matrices() const { return links_.data(); }
  Matrix* matrices() { return links_.data(); }
  std::byte* data() { return reinterpret_cast<std::byte*>(links_.data()); }
  std::int64_t bytes() const { return box_.bytes(); }

  // Set unit matrices, or random ones.
  void set_cold();
  void set_random(std::uint64_t seed);

  static constexpr std::int64_t site_bytes = axes * static_cast<std::int64_t>(sizeof(Matrix));

 private:
  HaloBox box_;
  parallel::Buffer<Matrix> links_;
};

// Re tr of the plaquette that spans two directions from a site.
double plaquette(const Links& links, const Extents& site, int mu, int nu);
// Re tr of the rectangle two links long along mu. Needs a halo of two planes.
double rectangle(const Links& links, const Extents& site, int mu, int nu);

}  // namespace phasewise::qcd
