// Matrices of a rank's sites in vectors (lane_sites.hpp), for loops that take several sites at
// once. With one lane the loops are plain ones, with the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "parallel/buffer.hpp"
#include "qcd/gauge/lane_sites.hpp"
#include "qcd/row_tasks.hpp"

namespace phasewise::qcd {

class LaneMatrices {
 public:
  LaneMatrices() = default;
  // `each` matrices a site, 4 for links.
  LaneMatrices(std::shared_ptr<const LaneSites> sites, int each)
      : sites_(std::move(sites)), each_(each) {}

  // Takes all matrices from an array [site][each], halo included.
  void take(const Matrix* from, int threads);
  // Takes those of a number again, for some vectors.
  void take(const Matrix* from, int which, std::span<const std::int32_t> vectors, int threads);

  bool made() const { return sites_ != nullptr; }
  const LaneSites& sites() const { return *sites_; }
  const std::shared_ptr<const LaneSites>& shared_sites() const { return sites_; }
  // [real][lane] of a matrix of a vector.
  const double* at(std::int64_t vector, int which) const {
    return reals_.data() + place(vector, which);
  }
  double* at(std::int64_t vector, int which) { return reals_.data() + place(vector, which); }

 private:
  std::int64_t place(std::int64_t vector, int which) const {
    return (each_ * vector + which) * matrix_reals * sites_->lanes();
  }

  std::shared_ptr<const LaneSites> sites_;
  int each_ = 0;
  parallel::Buffer<double> reals_;
};

// A site of each lane with its links.
template <int Lanes>
class LanePlace {
 public:
  using V = parallel::Vector<double, Lanes>;
  LanePlace(const LaneMatrices& links, std::int32_t vector) : links_(&links), vector_(vector) {}

  LanePlace ahead(int axis) const {
    return {*links_, links_->sites().vectors().ahead(vector_, axis)};
  }
  LanePlace behind(int axis) const {
    return {*links_, links_->sites().vectors().behind(vector_, axis)};
  }
  ColourMatrix<V> link(int mu) const { return load_lanes<Lanes>(links_->at(vector_, mu)); }
  std::int32_t vector() const { return vector_; }

 private:
  const LaneMatrices* links_;
  std::int32_t vector_;
};

// Calls f(place, number of the own vector) for all own sites.
template <int Lanes, class F>
void for_places(const LaneMatrices& links, int threads, F&& f) {
  for_rows(static_cast<int>(links.sites().own()), threads, nullptr, [&](std::int64_t number) {
    f(LanePlace<Lanes>(links, links.sites().own_vector(number)), number);
  });
}

// The elements of an array of matrices [own site][4] that belong to the lanes of an own vector.
template <int Lanes, class M>
void point_at_own(const LaneSites& sites, std::int64_t number, int mu, M* matrices,
                  M* (&to)[Lanes]) {
  for (int lane = 0; lane < Lanes; ++lane)
    to[lane] = matrices + axes * static_cast<std::int64_t>(sites.own_site(number, lane)) + mu;
}
// The same in an array [site][4] with a halo.
template <int Lanes, class M>
void point_at_links(const LaneSites& sites, std::int64_t vector, int mu, M* matrices,
                    M* (&to)[Lanes]) {
  for (int lane = 0; lane < Lanes; ++lane)
    to[lane] = matrices + axes * static_cast<std::int64_t>(sites.site(vector, lane)) + mu;
}

}  // namespace phasewise::qcd
