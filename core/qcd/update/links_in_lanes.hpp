// The links of an update in vectors, taken when they have changed.
#pragma once

#include <memory>

#include "qcd/gauge/lane_matrices.hpp"
#include "qcd/update/momenta.hpp"

namespace phasewise::qcd {

class LinksInLanes {
 public:
  // With this many planes of halo around each lane's sub-box.
  explicit LinksInLanes(int halo) : halo_(halo) {}

  const LaneMatrices& of(const UpdateFields& fields) {
    if (lanes_ != fields.lanes) {
      lanes_ = fields.lanes;
      links_ = LaneMatrices(std::make_shared<LaneSites>(fields.links.box(), halo_, lanes_), axes);
      version_ = 0;
    }
    if (version_ != fields.version) links_.take(fields.links.matrices(), fields.threads);
    version_ = fields.version;
    return links_;
  }
  // Of the last call of `of`.

 private:
  int halo_;
  int lanes_ = 0;
  std::int64_t version_ = 0;
  LaneMatrices links_;
};

// to -= step F for the links of an own vector along mu, [own site][4]; the norms of F where they
// are wanted.
template <int Lanes>
void add_force_of(const LaneSites& sites, std::int64_t number, int mu,
                  ColourMatrix<parallel::Vector<double, Lanes>> force, double step, Matrix* to,
                  ForceNorms* norms) {
  using V = parallel::Vector<double, Lanes>;
  using parallel::fused;
  if (norms != nullptr) {
    V square{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        square =
            fused(force.im[i][j], force.im[i][j], fused(force.re[i][j], force.re[i][j], square));
    for (int lane = 0; lane < Lanes; ++lane)
      norms->add(axes * static_cast<std::int64_t>(sites.own_site(number, lane)) + mu,
                 2.0 * parallel::lane_of<double, Lanes>(square, lane));
  }
  Matrix* moved[Lanes];
  point_at_own<Lanes>(sites, number, mu, to, moved);
  const Matrix* before[Lanes];
  for (int lane = 0; lane < Lanes; ++lane) before[lane] = moved[lane];
  ColourMatrix<V> p = load_links<Lanes>(before);
  scale(force, -step);
  add(p, force);
  store_links<Lanes>(p, moved);
}

inline constexpr double add_force_flops = 37.0 + 36.0;

}  // namespace phasewise::qcd
