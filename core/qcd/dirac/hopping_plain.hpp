// The hopping matrix as simple loops in the order colour, spin, x/2, y, z, t. It is the reference
// of tests and benchmarks.
#pragma once

#include <algorithm>
#include <cstring>

#include "parallel/buffer.hpp"
#include "parallel/loops.hpp"
#include "qcd/dirac/hopping.hpp"
#include "qcd/dirac/link_vectors.hpp"
#include "qcd/dirac/spin.hpp"
#include "qcd/sub_boxes.hpp"

namespace phasewise::qcd {

template <class Real>
class PlainHopping final : public Hopping<Real> {
 public:
  using Half = HalfSpinor<Real>;

  explicit PlainHopping(const HoppingShape& shape) : Hopping<Real>(shape), box_(shape.box) {
    for (auto& direction : links_)
      for (auto& links : direction)
        links = parallel::Buffer<Real>(volume_of(box_) / 2 * axes * link_reals);
  }

  int lanes() const override { return 1; }
  std::int64_t place(const Extents& at) const override {
    return half_site_of(box_, at) * spinor_reals;
  }

  void set_links(const Links& links, const LinkFactors& factors) override {
    const LinkVectors vectors(links, factors, shape().third_row);
    parallel::for_blocks(volume_of(box_), shape().threads, [&](std::int64_t begin, int n, int) {
      for (std::int64_t site = begin; site < begin + n; ++site) {
        const Extents at[1] = {coordinates_of(box_, site)};
        Real taken[2 * axes * link_reals];
        vectors.take<Real, 1, link_reals>(at, taken);
        store_links(at[0], taken);
      }
    });
  }

  void read_spinors(const double* plain, int parity, Real* field) const override {
    for_parity(parity, [&](const Extents& at) {
      const double* from = plain + site_of(box_, at) * spinor_reals;
      Real* to = field + half_site_of(box_, at) * spinor_reals;
      for (int i = 0; i < spinor_reals; ++i) to[i] = static_cast<Real>(from[i]);
    });
  }

  void write_spinors(const Real* field, int parity, double* plain) const override {
    for_parity(parity, [&](const Extents& at) {
      const Real* from = field + half_site_of(box_, at) * spinor_reals;
      double* to = plain + site_of(box_, at) * spinor_reals;
      for (int i = 0; i < spinor_reals; ++i) to[i] = from[i];
    });
  }

  void pack(int to, int axis, int side, bool dagger, const Real* from,
            std::byte* face) const override {
    const auto run = [&]<int Axis>() {
      if (dagger)
        pack_face<Axis, true>(to, side, from, face);
      else
        pack_face<Axis, false>(to, side, from, face);
    };
    if (axis == 0) run.template operator()<0>();
    if (axis == 1) run.template operator()<1>();
    if (axis == 2) run.template operator()<2>();
    if (axis == 3) run.template operator()<3>();
  }

  void interior(int to, bool dagger, const Real* from, Real* result,
                const Beside& beside) const override {
    for_sites(to, false, dagger, from, ArrivedFaces{}, result, beside);
  }
  void boundary(int to, bool dagger, const Real* from, const ArrivedFaces& faces,
                Real* result) const override {
    for_sites(to, true, dagger, from, faces, result, {});
  }

 private:
  const HoppingShape& shape() const { return Hopping<Real>::shape(); }

  template <class F>
  void for_parity(int parity, F&& f) const {
    for_each_site(box_, [&](const Extents& at) {
      if (parity_of(at) == parity) f(at);
    });
  }

  // From the order [axis][side].
  void store_links(const Extents& at, const Real* taken) {
    for (int axis = 0; axis < axes; ++axis)
      for (int side = 0; side < 2; ++side)
        std::copy_n(taken + (2 * axis + side) * link_reals, link_reals,
                    links_[side][parity_of(at)].data() +
                        (half_site_of(box_, at) * axes + axis) * link_reals);
  }

  bool needs_halo(const Extents& at) const {
    for (int axis = 0; axis < axes; ++axis)
      if (shape().split[axis] && (at[axis] == 0 || at[axis] == box_[axis] - 1)) return true;
    return false;
  }

  void for_sites(int to, bool halo, bool dagger, const Real* from, const ArrivedFaces& faces,
                 Real* result, const Beside& beside) const {
    for_rows(box_[1] * box_[2] * box_[3], shape().threads, beside, [&](std::int64_t row) {
      const int y = static_cast<int>(row % box_[1]);
      const int z = static_cast<int>(row / box_[1] % box_[2]);
      const int t = static_cast<int>(row / box_[1] / box_[2]);
      for (int x = (to + y + z + t) & 1; x < box_[0]; x += 2) {
        const Extents at{x, y, z, t};
        if (needs_halo(at) != halo) continue;
        if (dagger)
          do_site<true>(to, at, from, faces, result);
        else
          do_site<false>(to, at, from, faces, result);
      }
    });
  }

  template <bool Dagger>
  void do_site(int to, const Extents& at, const Real* from, const ArrivedFaces& faces,
               Real* result) const {
    Spinor<Real> sum{};
    hop<0, 0, Dagger>(to, at, from, faces, sum);
    hop<0, 1, Dagger>(to, at, from, faces, sum);
    hop<1, 0, Dagger>(to, at, from, faces, sum);
    hop<1, 1, Dagger>(to, at, from, faces, sum);
    hop<2, 0, Dagger>(to, at, from, faces, sum);
    hop<2, 1, Dagger>(to, at, from, faces, sum);
    hop<3, 0, Dagger>(to, at, from, faces, sum);
    hop<3, 1, Dagger>(to, at, from, faces, sum);
    std::memcpy(result + half_site_of(box_, at) * spinor_reals, &sum, sizeof sum);
  }

  template <int Axis, int Sign>
  static Half projected(const Real* spinor) {
    return project<Axis, Sign, Real>([&](int s, int c) {
      const Real* complex = spinor + (s * colours + c) * 2;
      return ComplexOf<Real>{complex[0], complex[1]};
    });
  }

  // A direction of 0 means U_µ(x), 1 means U_µ(x - µ̂).
  template <bool Adjoint>
  Half product(int parity, int axis, int direction, const Extents& at, const Half& half) const {
    const Real* link =
        links_[direction][parity].data() + (half_site_of(box_, at) * axes + axis) * link_reals;
    return times_link<Adjoint, Real>(
        [&](int i, int k) {
          const Real* complex = link + (i * colours + k) * 2;
          return ComplexOf<Real>{complex[0], complex[1]};
        },
        half);
  }

  template <int Axis, int Side, bool Dagger>
  void hop(int to, const Extents& at, const Real* from, const ArrivedFaces& faces,
           Spinor<Real>& sum) const {
    constexpr int sign = (Side == 0) == Dagger ? 1 : -1;
    const bool full = shape().spinors == FaceSpinors::full;
    const bool outside = shape().split[Axis] && at[Axis] == (Side == 0 ? box_[Axis] - 1 : 0);
    const auto* face = reinterpret_cast<const Real*>(faces[Axis][Side]);
    const std::int64_t number = outside ? face_site_of(box_, Axis, at) : 0;
    Half half;
    if (outside && !full) {
      std::memcpy(&half, face + number * half_spinor_reals, sizeof half);
    } else if (outside) {
      half = projected<Axis, sign>(face + number * spinor_reals);
    } else {
      Extents other = at;
      other[Axis] = (at[Axis] + (Side == 0 ? 1 : box_[Axis] - 1)) % box_[Axis];
      half = projected<Axis, sign>(from + half_site_of(box_, other) * spinor_reals);
    }
    if (Side == 0 || !outside || full) half = product<Side == 1>(to, Axis, Side, at, half);
    add_expanded<Axis, sign>(sum, half);
  }

  template <int Axis, bool Dagger>
  void pack_face(int to, int side, const Real* from, std::byte* face) const {
    const bool full = shape().spinors == FaceSpinors::full;
    const std::size_t bytes = (full ? spinor_reals : half_spinor_reals) * sizeof(Real);
    for_parity(1 - to, [&](const Extents& at) {
      if (at[Axis] != (side == 0 ? box_[Axis] - 1 : 0)) return;
      const Real* spinor = from + half_site_of(box_, at) * spinor_reals;
      std::byte* place = face + face_site_of(box_, Axis, at) * static_cast<std::int64_t>(bytes);
      if (full) {
        std::memcpy(place, spinor, bytes);
        return;
      }
      constexpr int towards_positive = Dagger ? -1 : 1;
      const Half half =
          side == 0 ? product<true>(1 - to, Axis, 0, at, projected<Axis, towards_positive>(spinor))
                    : projected<Axis, -towards_positive>(spinor);
      std::memcpy(place, &half, bytes);
    });
  }

  Extents box_;
  parallel::Buffer<Real> links_[2][2];  // U_µ(x) and U_µ(x - µ̂), by parity
};

}  // namespace phasewise::qcd
