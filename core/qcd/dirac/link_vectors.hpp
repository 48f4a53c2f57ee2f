// The links of several sites, one a lane, as the hopping matrix keeps them: with the phase of the
// boundary and the weight of the hop, in its precision, [element][lane].
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "qcd/dirac/link_factors.hpp"
#include "qcd/dirac/spin.hpp"
#include "qcd/dirac/third_row.hpp"
#include "qcd/gauge/colour_matrix.hpp"
#include "qcd/gauge/links.hpp"

namespace phasewise::qcd {

class LinkVectors {
 public:
  // The links have a halo along axes that are split.
  LinkVectors(const Links& links, const LinkFactors& factors, const std::optional<ThirdRow>& third)
      : links_(links.matrices()),
        domain_(links.domain()),
        box_(domain_.extents()),
        third_(third),
        weights_(factors.weights) {
    const HaloBox& box = links.box();
    first_ = box.index({});
    for (int axis = 0; axis < axes; ++axis) {
      Extents next{};
      next[axis] = 1;
      stride_[axis] = box.index(next) - first_;
      halo_[axis] = box.has(axis);
      boundary_[axis] = boundary_factor(factors.phases[axis]);
    }
  }

  // The links of the sites, [axis][side][element of the first rows][re, im][lane]: side 0 has
  // U_µ(x), side 1 has U_µ(x - µ̂).
  template <class Real, int Lanes, int Reals>
  void take(const Extents (&at)[Lanes], Real* to) const {
    std::int64_t site[Lanes];
    for (int lane = 0; lane < Lanes; ++lane) {
      site[lane] = first_;
      for (int axis = 0; axis < axes; ++axis) site[lane] += at[lane][axis] * stride_[axis];
    }
    for (int axis = 0; axis < axes; ++axis)
      for (int side = 0; side < 2; ++side)
        take_one<Real, Lanes, Reals>(at, site, axis, side, to + (2 * axis + side) * Reals * Lanes);
  }

 private:
  template <class Real, int Lanes, int Reals>
  void take_one(const Extents (&at)[Lanes], const std::int64_t (&site)[Lanes], int axis, int side,
                Real* to) const {
    // As many at once as vectors of doubles have lanes.
    constexpr int chunk = std::min(Lanes, parallel::lanes);
    Vector<Real, Lanes> reals[link_reals];
    for (int first = 0; first < Lanes; first += chunk)
      take_chunk<Real, Lanes, chunk>(at + first, site + first, axis, side, first, reals);
    if (third_) complete<Real, Lanes>(at, axis, side, reals);
    for (int i = 0; i < Reals; ++i) store_vector<Real, Lanes>(to + i * Lanes, reals[i]);
  }

  template <class Real, int Lanes, int Chunk>
  void take_chunk(const Extents* at, const std::int64_t* site, int axis, int side, int first,
                  Vector<Real, Lanes> (&reals)[link_reals]) const {
    using D = Vector<double, Chunk>;
    const Matrix* from[Chunk];
    D re{}, im{};
    for (int lane = 0; lane < Chunk; ++lane) {
      const int place = at[lane][axis];
      from[lane] = links_ + axes * (site[lane] + (side == 0 ? 0 : before(place, axis))) + axis;
      const int global = domain_.origin(axis) + place;
      const bool crosses = global == (side == 0 ? domain_.size[axis] - 1 : 0);
      set_lane<Chunk>(re, lane, crosses ? boundary_[axis][0] : 1.0);
      set_lane<Chunk>(im, lane, crosses ? boundary_[axis][1] : 0.0);
    }
    const ColourMatrix<D> u = load_links<Chunk>(from);
    for (int i = 0; i < colours; ++i)
      for (int k = 0; k < colours; ++k) {
        const auto e = numerics::complex_product<D>(re, im, weights_[axis] * u.re[i][k],
                                                    weights_[axis] * u.im[i][k]);
        put<Real, Lanes, Chunk>(e.re, first, reals[(i * colours + k) * 2]);
        put<Real, Lanes, Chunk>(e.im, first, reals[(i * colours + k) * 2 + 1]);
      }
  }

  // From a site to the one before it, in sites of the array.
  std::int64_t before(int place, int axis) const {
    return place > 0 || halo_[axis] ? -stride_[axis] : (box_[axis] - 1) * stride_[axis];
  }

  template <class Real, int Lanes>
  void complete(const Extents (&at)[Lanes], int axis, int side,
                Vector<Real, Lanes> (&reals)[link_reals]) const {
    using V = Vector<Real, Lanes>;
    V factor{};
    for (int lane = 0; lane < Lanes; ++lane)
      set_lane<Lanes>(factor, lane, static_cast<Real>(third_->factor(box_, at[lane], axis, side)));
    ComplexOf<V> row[colours];
    third_row<V>(
        [&](int i, int k) {
          return ComplexOf<V>{reals[(i * colours + k) * 2], reals[(i * colours + k) * 2 + 1]};
        },
        factor, row);
    for (int k = 0; k < colours; ++k) {
      reals[(2 * colours + k) * 2] = row[k].re;
      reals[(2 * colours + k) * 2 + 1] = row[k].im;
    }
  }

  template <int Lanes, class Real>
  static void set_lane(Vector<Real, Lanes>& vector, int lane, Real value) {
    if constexpr (Lanes == 1)
      vector = value;
    else
      vector[lane] = value;
  }

  template <class Real, int Lanes, int Chunk>
  static void put(const Vector<double, Chunk>& from, int first, Vector<Real, Lanes>& to) {
    if constexpr (Chunk == 1) {
      to = static_cast<Real>(from);
    } else {
      const auto converted = __builtin_convertvector(from, Vector<Real, Chunk>);
      std::memcpy(reinterpret_cast<Real*>(&to) + first, &converted, sizeof converted);
    }
  }

  const Matrix* links_;
  Domain domain_;
  Extents box_;
  std::optional<ThirdRow> third_;
  std::array<double, axes> weights_;
  std::array<std::array<double, 2>, axes> boundary_{};
  std::int64_t first_ = 0;
  std::array<std::int64_t, axes> stride_{};
  std::array<bool, axes> halo_{};
};

}  // namespace phasewise::qcd
