// The links of a rank with a halo of its neighbours', and what is measured on them.
#pragma once

#include <array>
#include <vector>

#include "lattice/neighbours.hpp"
#include "lattice/su3.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::lattice {

class Links {
 public:
  // halo: planes on either side of a split axis. real: with memory.
  Links(const Domain& domain, int halo, bool real);

  const Domain& domain() const { return domain_; }
  // U_µ(x) at local coordinates from -halo to extent + halo - 1; along axes that are not split they
  // are taken modulo the extent.
  const Matrix& at(Extents site, int direction) const {
    return links_.data()[index(site, direction)];
  }
  Matrix& at(Extents site, int direction) { return links_.data()[index(site, direction)]; }
  std::byte* data() { return reinterpret_cast<std::byte*>(links_.data()); }
  std::int64_t bytes() const { return volume_of(box_) * site_bytes; }

  // Unit matrices, or random ones.
  void set_cold();
  void set_random(std::uint64_t seed);

  // The planes along an axis that neighbours get and give. Along earlier axes they contain the
  // halo, so that corners arrive if the axes exchange in order.
  Faces faces(int axis) const;

  static constexpr std::int64_t site_bytes = axes * static_cast<std::int64_t>(sizeof(Matrix));

 private:
  std::int64_t index(Extents site, int direction) const;

  Domain domain_;
  int halo_;
  Extents box_{};  // with the halo
  parallel::Buffer<Matrix> links_;
};

// Re tr of the plaquette that spans two directions from a site.
double plaquette(const Links& links, const Extents& site, int mu, int nu);
// Of the rectangle two links long along mu. Needs a halo of two planes.
double rectangle(const Links& links, const Extents& site, int mu, int nu);

}  // namespace phasewise::lattice
