// Matrices of a rank's sites in vectors (lane_sites.hpp), for loops that take several sites at
// once. With one lane the loops are plain ones, with the same bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "parallel/buffer.hpp"
#include "qcd/gauge/colour_matrix.hpp"
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

// Each lane from another one.
template <int Lanes>
void trade_places(const std::int64_t* lanes, ColourMatrix<parallel::Vector<double, Lanes>>& m) {
  const auto places = parallel::load<Lanes>(lanes);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      m.re[i][j] = parallel::permuted(m.re[i][j], places);
      m.im[i][j] = parallel::permuted(m.im[i][j], places);
    }
}

// A site of each lane with its links.
template <int Lanes>
class LanePlace {
 public:
  using V = parallel::Vector<double, Lanes>;
  LanePlace(const LaneMatrices& links, std::int32_t vector, int turn = 0)
      : links_(&links), vector_(vector), turn_(turn) {}

  LanePlace ahead(int axis) const {
    const LaneSites& sites = links_->sites();
    return {*links_, sites.vectors().ahead(vector_, axis), sites.turn_ahead(turn_, vector_, axis)};
  }
  LanePlace behind(int axis) const {
    const LaneSites& sites = links_->sites();
    return {*links_, sites.vectors().behind(vector_, axis),
            sites.turn_behind(turn_, vector_, axis)};
  }
  ColourMatrix<V> link(int mu) const { return matrix(*links_, mu); }
  // Of another array over the same sites.
  ColourMatrix<V> matrix(const LaneMatrices& matrices, int which) const {
    auto found = load_lanes<Lanes>(matrices.at(vector_, which));
    if constexpr (Lanes > 1)
      if (turn_ != 0) trade_places<Lanes>(links_->sites().turned(turn_), found);
    return found;
  }
  std::int32_t vector() const { return vector_; }
  // Prefetches a link into the second cache, and returns the value that is given: the compiler
  // would drop a call whose result is not used. The first cache can wait for fewer lines at once.
  template <class T>
  T asked_link(int mu, T value) const {
    constexpr int line = 64 / sizeof(double), into_second = 2;
    const double* reals = links_->at(vector_, mu);
    for (int real = 0; real < matrix_reals * Lanes; real += line)
      __builtin_prefetch(reals + real, 0, into_second);
    return value;
  }

 private:
  const LaneMatrices* links_;
  std::int32_t vector_;
  int turn_;
};

// Calls f(place, the next place, number of the own vector) for all own sites.
template <int Lanes, class F>
void for_places(const LaneMatrices& links, int threads, F&& f) {
  const LaneSites& sites = links.sites();
  const auto place = [&](std::int64_t number) {
    return LanePlace<Lanes>(links, sites.own_vector(std::min(number, sites.own() - 1)));
  };
  for_rows(static_cast<int>(sites.own()), threads, nullptr,
           [&](std::int64_t number) { f(place(number), place(number + 1), number); });
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
