// A point source that is widened within its time slice, (1 + w²Δ/4n)ⁿ, with the covariant Laplacian
// of space (Güsken et al., Phys. Lett. B 227 (1989) 266).
#pragma once

#include <array>
#include <vector>

#include "qcd/gauge/links.hpp"
#include "workload/listener.hpp"

namespace phasewise::qcd {

struct Smearing {
  double width = 0.0;  // w
  int iterations = 0;  // n; 0 leaves the point as it is
};

class SmearedSource {
 public:
  // `real` says whether it has memory. The position must outlive it.
  SmearedSource(const Position& position, const Smearing& smearing, const Extents& point,
                int threads, bool real);

  exchange::Exchanges exchanges() const;
  // Makes the source on these links, which must have their halo.
  void tell(const Links& links, workload::Listener& listener);
  // The source's length over all ranks, if the point has this colour.
  double length(int colour) const { return lengths_[colour]; }
  // The source as spinors [site][spin][colour][re, im], with this spin and colour at the point.
  std::vector<double> spinors(int spin, int colour) const;

 private:
  void set_point();
  void step(const Links& links);

  const Position& position_;
  Smearing smearing_;
  Extents point_;
  int threads_;
  HaloBox box_;
  exchange::Exchanges along_;  // along each axis; null along one that is not split
  // Each site has a column for each colour at the point.
  parallel::Buffer<Matrix> field_, next_;
  std::array<double, 3> lengths_{1.0, 1.0, 1.0};
};

}  // namespace phasewise::qcd
