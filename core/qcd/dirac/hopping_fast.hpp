// The hopping matrix on vectors of sites, one from each sub-box of the rank's box.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "parallel/buffer.hpp"
#include "parallel/loops.hpp"
#include "parallel/simd.hpp"
#include "qcd/dirac/hopping.hpp"
#include "qcd/dirac/link_vectors.hpp"
#include "qcd/dirac/spin.hpp"
#include "qcd/sub_boxes.hpp"

namespace phasewise::qcd {

// Rows is the number of rows of a link that are kept.
template <class Real, int Lanes, int Rows>
class FastHopping final : public Hopping<Real> {
 public:
  using V = Vector<Real, Lanes>;
  using P = parallel::Places<Real, Lanes>;
  using Half = HalfSpinor<V>;

  explicit FastHopping(const HoppingShape& shape)
      : Hopping<Real>(shape), sub_(SubBoxes::cut(shape.box, Lanes)) {
    for (int lane = 0; lane < Lanes; ++lane) {
      const bool odd = sub_.parity(lane) == 1;
      uniform_ = uniform_ && !odd;
      upper_[0][lane] = odd ? -1 : 0;
      upper_[1][lane] = odd ? 0 : -1;
      for (int axis = 0; axis < axes; ++axis) {
        from_[axis][0][lane] = sub_.neighbour(lane, axis, 1);
        from_[axis][1][lane] = sub_.neighbour(lane, axis, -1);
      }
    }
    if constexpr (Rows == 2) set_scales(*shape.third_row);
    for (parallel::Buffer<Real>& links : links_) {
      // One vector more, which is prefetched and never used.
      links = parallel::Buffer<Real>((sub_.vectors() + 1) * site_links);
    }
    ahead_ = links_[0].size() * sizeof(Real) > own_cache;
  }

  int lanes() const override { return Lanes; }
  std::int64_t place(const Extents& at) const override {
    const auto [vector, lane] = sub_.slot(at);
    return vector * site_reals + lane;
  }

  void set_links(const Links& links, const LinkFactors& factors) override {
    const LinkVectors vectors(links, factors, shape().third_row);
    const Extents inner{sub_.inner[0] / 2, sub_.inner[1], sub_.inner[2], sub_.inner[3]};
    for (int parity = 0; parity < 2; ++parity)
      for_rows(static_cast<int>(sub_.vectors()), shape().threads, {}, [&](std::int64_t vector) {
        const Extents in = coordinates_of(inner, vector);
        const int shift = (parity + in[1] + in[2] + in[3]) & 1;
        Extents at[Lanes];
        for (int lane = 0; lane < Lanes; ++lane) at[lane] = place_of(in, shift, lane);
        vectors.take<Real, Lanes, kept_reals>(at, links_[parity].data() + vector * site_links);
      });
  }

  void read_spinors(const double* plain, int parity, Real* field) const override {
    for_each_site(sub_.box, [&](const Extents& at) {
      if (parity_of(at) != parity) return;
      const auto [vector, lane] = sub_.slot(at);
      const double* from = plain + site_of(sub_.box, at) * spinor_reals;
      Real* to = field + vector * spinor_reals * Lanes + lane;
      for (int i = 0; i < spinor_reals; ++i) to[i * Lanes] = static_cast<Real>(from[i]);
    });
  }

  void write_spinors(const Real* field, int parity, double* plain) const override {
    for_each_site(sub_.box, [&](const Extents& at) {
      if (parity_of(at) != parity) return;
      const auto [vector, lane] = sub_.slot(at);
      const Real* from = field + vector * spinor_reals * Lanes + lane;
      double* to = plain + site_of(sub_.box, at) * spinor_reals;
      for (int i = 0; i < spinor_reals; ++i) to[i] = from[i * Lanes];
    });
  }

  void pack(int to, int axis, int side, bool dagger, const Real* from,
            std::byte* face) const override {
    const auto run = [&]<int Axis>() {
      if (dagger)
        pack_face<Axis, true>(to, side, from, reinterpret_cast<Real*>(face));
      else
        pack_face<Axis, false>(to, side, from, reinterpret_cast<Real*>(face));
    };
    if (axis == 0) run.template operator()<0>();
    if (axis == 1) run.template operator()<1>();
    if (axis == 2) run.template operator()<2>();
    if (axis == 3) run.template operator()<3>();
  }

  void interior(int to, bool dagger, const Real* from, Real* result,
                const Beside& beside) const override {
    if (dagger)
      do_rows<true, false>(to, from, ArrivedFaces{}, result, beside);
    else
      do_rows<false, false>(to, from, ArrivedFaces{}, result, beside);
  }

  void boundary(int to, bool dagger, const Real* from, const ArrivedFaces& faces,
                Real* result) const override {
    if (dagger)
      do_rows<true, true>(to, from, faces, result, {});
    else
      do_rows<false, true>(to, from, faces, result, {});
  }

 private:
  static constexpr std::size_t own_cache = std::size_t{2} << 20;  // bytes, in common processors
  static constexpr int kept_reals = Rows * colours * 2;
  static constexpr std::int64_t site_links = std::int64_t{2} * axes * kept_reals * Lanes;
  static constexpr std::int64_t site_reals = std::int64_t{spinor_reals} * Lanes;

  // The vector of sites that is being computed.
  struct Site {
    Extents in;  // coordinates in a sub-box; x/2 along x
    int shift;   // 1 if lanes of even sub-boxes have the odd one of two x
    const Real* from;
    const Real* links;
    const ArrivedFaces* faces;
  };

  const HoppingShape& shape() const { return Hopping<Real>::shape(); }

  template <bool Dagger, bool Halo>
  void do_rows(int to, const Real* from, const ArrivedFaces& faces, Real* result,
               const Beside& beside) const {
    const int rows = sub_.inner[1] * sub_.inner[2] * sub_.inner[3];
    for_rows(rows, shape().threads, beside,
             [&](std::int64_t row) { do_row<Dagger, Halo>(to, row, from, faces, result); });
  }

  template <bool Dagger, bool Halo>
  void do_row(int to, std::int64_t row, const Real* from, const ArrivedFaces& faces,
              Real* result) const {
    const int y = static_cast<int>(row % sub_.inner[1]);
    const int z = static_cast<int>(row / sub_.inner[1] % sub_.inner[2]);
    const int t = static_cast<int>(row / sub_.inner[1] / sub_.inner[2]);
    const int length = sub_.inner[0] / 2;
    Site site{{0, y, z, t}, (to + y + z + t) & 1, from, nullptr, &faces};
    bool edge = false;
    for (int axis = 1; axis < axes; ++axis)
      edge = edge ||
             (shape().split[axis] && (site.in[axis] == 0 || site.in[axis] == sub_.inner[axis] - 1));
    for (int j = 0; j < length; ++j) {
      const bool first = j == 0 && !(uniform_ && site.shift == 1);
      const bool last = j == length - 1 && !(uniform_ && site.shift == 0);
      if ((edge || (shape().split[0] && (first || last))) != Halo) continue;
      site.in[0] = j;
      const std::int64_t vector = row * length + j;
      site.links = links_[to].data() + vector * site_links;
      do_site<Dagger, Halo>(site, result + vector * site_reals);
    }
  }

  template <bool Dagger, bool Halo>
  void do_site(const Site& site, Real* result) const {
    if (ahead_)
      result = asking_for<spinor_reals, Use::write, Real, Lanes>(result + site_reals, result);
    Spinor<V> sum{};
    hop<0, 0, Dagger, Halo>(site, sum);
    hop<0, 1, Dagger, Halo>(site, sum);
    hop<1, 0, Dagger, Halo>(site, sum);
    hop<1, 1, Dagger, Halo>(site, sum);
    hop<2, 0, Dagger, Halo>(site, sum);
    hop<2, 1, Dagger, Halo>(site, sum);
    hop<3, 0, Dagger, Halo>(site, sum);
    hop<3, 1, Dagger, Halo>(site, sum);
#pragma GCC unroll 4
    for (int s = 0; s < spins; ++s)
#pragma GCC unroll 3
      for (int c = 0; c < colours; ++c) {
        store_vector<Real, Lanes>(result + (s * colours + c) * 2 * Lanes, sum.at[s][c].re);
        store_vector<Real, Lanes>(result + ((s * colours + c) * 2 + 1) * Lanes, sum.at[s][c].im);
      }
  }

  // Sets the factors of third rows; they depend on whether a lane is at the edge of the rank's box.
  void set_scales(const ThirdRow& third_row) {
    for (int axis = 0; axis < axes; ++axis) {
      scale_[axis] = all_lanes<Real, Lanes>(static_cast<Real>(third_row.scale[axis]));
      for (int side = 0; side < 2; ++side)
        for (int shift = 0; shift < 2; ++shift) {
          Extents in{};
          if (side == 0) in[axis] = sub_edge(axis);
          for (int lane = 0; lane < Lanes; ++lane) {
            const double factor = third_row.factor(sub_.box, place_of(in, shift, lane), axis, side);
            edge_scale_[axis][side][shift][lane] = static_cast<Real>(factor);
          }
        }
    }
  }
  // The last place along an axis in a sub-box.
  int sub_edge(int axis) const { return (axis == 0 ? sub_.inner[0] / 2 : sub_.inner[axis]) - 1; }

  // U h, or U† h, for the link towards a side.
  template <int Axis, int Side, bool Adjoint>
  PHASEWISE_HD Half times(const Extents& in, int shift, const Real* links, const Half& half) const {
    const Real* link = links + (2 * Axis + Side) * kept_reals * Lanes;
    if (ahead_) link = asking_for<kept_reals, Use::read, Real, Lanes>(link + site_links, link);
    const auto element = [&](int i, int k) { return load(link, i * colours + k); };
    if constexpr (Rows == 3) {
      return times_link<Adjoint, V>(element, half);
    } else {
      const bool edge = in[Axis] == (Side == 0 ? sub_edge(Axis) : 0);
      ComplexOf<V> third[colours];
      third_row<V>(element, edge ? edge_scale_[Axis][Side][shift] : scale_[Axis], third);
      return times_link<Adjoint, V>([&](int i, int k) { return i == 2 ? third[k] : element(i, k); },
                                    half);
    }
  }

  static ComplexOf<V> load(const Real* vector, int complex) {
    return {load_vector<Real, Lanes>(vector + 2 * complex * Lanes),
            load_vector<Real, Lanes>(vector + (2 * complex + 1) * Lanes)};
  }

  template <int Axis, int Sign>
  static PHASEWISE_HD Half projected(const Real* spinor) {
    return project<Axis, Sign, V>([&](int s, int c) { return load(spinor, s * colours + c); });
  }

  // The neighbours towards a side of the axis, projected.
  template <int Axis, int Side, int Sign>
  PHASEWISE_HD Half neighbours(const Site& site) const {
    const int extent = Axis == 0 ? sub_.inner[0] / 2 : sub_.inner[Axis];
    if constexpr (Axis == 0) {
      const bool own = uniform_ && (site.shift == 1) == (Side == 1);
      if (own) return projected<Axis, Sign>(vector_of(site.from, site.in));
    }
    Extents in = site.in;
    in[Axis] += Side == 0 ? 1 : -1;
    const bool around = in[Axis] == extent || in[Axis] < 0;
    if (around) in[Axis] = Side == 0 ? 0 : extent - 1;
    const Real* spinor = vector_of(site.from, in);
    // These two of the eight neighbours are read for the first time, or after so long that no
    // nearby cache still holds them.
    if (Axis >= 2 && Side == 0 && ahead_)
      spinor = asking_for<spinor_reals, Use::read, Real, Lanes>(spinor + site_reals, spinor);
    Half half = projected<Axis, Sign>(spinor);
    if (around && sub_.cuts[Axis] > 1) {
      const P places = from_[Axis][Side];
#pragma GCC unroll 2
      for (int a = 0; a < 2; ++a)
#pragma GCC unroll 3
        for (int c = 0; c < colours; ++c) {
          half.at[a][c].re = parallel::permuted(half.at[a][c].re, places);
          half.at[a][c].im = parallel::permuted(half.at[a][c].im, places);
        }
    }
    if constexpr (Axis == 0) {
      if (!uniform_) {
        const Half own = projected<Axis, Sign>(vector_of(site.from, site.in));
        const P other = Side == 0 ? upper_[site.shift] : upper_[1 - site.shift];
#pragma GCC unroll 2
        for (int a = 0; a < 2; ++a)
#pragma GCC unroll 3
          for (int c = 0; c < colours; ++c) {
            half.at[a][c].re = other ? half.at[a][c].re : own.at[a][c].re;
            half.at[a][c].im = other ? half.at[a][c].im : own.at[a][c].im;
          }
      }
    }
    return half;
  }

  template <int Axis, int Side, bool Dagger, bool Halo>
  PHASEWISE_HD void hop(const Site& site, Spinor<V>& sum) const {
    constexpr int sign = (Side == 0) == Dagger ? 1 : -1;
    const bool outside = Halo && shape().split[Axis];
    const bool full = shape().spinors == FaceSpinors::full;
    Half half = neighbours<Axis, Side, sign>(site);
    if (outside && (full || Side == 0)) take_lanes<Axis, Side, sign>(site, full, half);
    half = times<Axis, Side, Side == 1>(site.in, site.shift, site.links, half);
    if (outside && !full && Side == 1) take_lanes<Axis, Side, sign>(site, false, half);
    add_expanded<Axis, sign>(sum, half);
  }

  // Where a lane's site lies in the rank's box. `shift` is that of the parity of the site itself.
  Extents place_of(const Extents& in, int shift, int lane) const {
    const Extents sub = sub_.place(lane);
    Extents at;
    for (int axis = 0; axis < axes; ++axis) at[axis] = sub[axis] * sub_.inner[axis] + in[axis];
    at[0] += in[0] + (upper_[shift][lane] != 0 ? 1 : 0);
    return at;
  }

  // Puts data that came from other ranks into the lanes whose neighbours are there.
  template <int Axis, int Side, int Sign>
  void take_lanes(const Site& site, bool full, Half& half) const {
    const int edge = Side == 0 ? sub_.box[Axis] - 1 : 0;
    const auto* face = reinterpret_cast<const Real*>((*site.faces)[Axis][Side]);
    for (int lane = 0; lane < Lanes; ++lane) {
      const Extents at = place_of(site.in, site.shift, lane);
      if (at[Axis] != edge) continue;
      const std::int64_t number = face_site_of(sub_.box, Axis, at);
      HalfSpinor<Real> came;
      if (full) {
        const Real* spinor = face + number * spinor_reals;
        came = project<Axis, Sign, Real>([&](int s, int c) {
          const Real* complex = spinor + (s * colours + c) * 2;
          return ComplexOf<Real>{complex[0], complex[1]};
        });
      } else {
        std::memcpy(&came, face + number * half_spinor_reals, sizeof came);
      }
      for (int a = 0; a < 2; ++a)
        for (int c = 0; c < colours; ++c) {
          half.at[a][c].re[lane] = came.at[a][c].re;
          half.at[a][c].im[lane] = came.at[a][c].im;
        }
    }
  }

  const Real* vector_of(const Real* field, const Extents& in) const {
    const Extents half{sub_.inner[0] / 2, sub_.inner[1], sub_.inner[2], sub_.inner[3]};
    return field + site_of(half, in) * site_reals;
  }

  template <int Axis, bool Dagger>
  void pack_face(int to, int side, const Real* from, Real* face) const {
    Extents slice{sub_.inner[0] / 2, sub_.inner[1], sub_.inner[2], sub_.inner[3]};
    const int edge = side == 0 ? slice[Axis] - 1 : 0;
    slice[Axis] = 1;
    const int threads = shape().threads;
    const auto count = static_cast<int>(volume_of(slice));
    const int parts = std::min(threads, count);
    parallel::for_tasks(parts, threads, [&](int part, int) {
      const auto last = static_cast<std::int64_t>(count) * (part + 1) / parts;
      for (auto i = static_cast<std::int64_t>(count) * part / parts; i < last; ++i) {
        Extents in = coordinates_of(slice, i);
        in[Axis] = edge;
        if (side == 0)
          pack_site<Axis, 0, Dagger>(to, in, from, face);
        else
          pack_site<Axis, 1, Dagger>(to, in, from, face);
      }
    });
  }

  template <int Axis, int Side, bool Dagger>
  void pack_site(int to, const Extents& in, const Real* from, Real* face) const {
    // For the rank on the other side, these sites are on the opposite side.
    constexpr int sign = (Side == 1) == Dagger ? 1 : -1;
    const Real* spinor = vector_of(from, in);
    const bool full = shape().spinors == FaceSpinors::full;
    Half half;
    if (!full) half = projected<Axis, sign>(spinor);
    const int shift = (1 - to + in[1] + in[2] + in[3]) & 1;
    if (Side == 0 && !full) {
      const std::int64_t vector = (spinor - from) / site_reals;
      half = times<Axis, 0, true>(in, shift, links_[1 - to].data() + vector * site_links, half);
    }
    const int edge = Side == 0 ? sub_.box[Axis] - 1 : 0;
    for (int lane = 0; lane < Lanes; ++lane) {
      const Extents at = place_of(in, shift, lane);
      if (at[Axis] != edge) continue;
      Real* to_site =
          face + face_site_of(sub_.box, Axis, at) * (full ? spinor_reals : half_spinor_reals);
      if (full) {
        for (int i = 0; i < spinor_reals; ++i) to_site[i] = spinor[i * Lanes + lane];
        continue;
      }
      for (int a = 0; a < 2; ++a)
        for (int c = 0; c < colours; ++c) {
          to_site[(a * colours + c) * 2] = half.at[a][c].re[lane];
          to_site[(a * colours + c) * 2 + 1] = half.at[a][c].im[lane];
        }
    }
  }

  SubBoxes sub_;
  bool uniform_ = true;  // all sub-boxes begin on even sites
  bool ahead_ = false;   // prefetch the next site's data, since no core's own cache holds them
  P upper_[2];           // by shift: lanes that have the odd one of two x
  P from_[axes][2];      // the lane that holds a lane's neighbour beyond the edge
  // With two rows, the factors of third rows: inside, and at a sub-box's edge by side and shift.
  V scale_[axes], edge_scale_[axes][2][2];
  parallel::Buffer<Real> links_[2];
};

}  // namespace phasewise::qcd
