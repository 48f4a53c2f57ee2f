#include "qcd/update/quark/quark_force.hpp"

#include <cstring>

#include "exchange/neighbour_exchange.hpp"
#include "parallel/cache_line.hpp"
#include "parallel/loops.hpp"
#include "qcd/dirac/lane_blocks.hpp"
#include "qcd/dirac/link_factors.hpp"
#include "qcd/phases.hpp"
#include "qcd/row_tasks.hpp"

namespace phasewise::qcd {
namespace {

// Two projected spinors of a site of a face.
constexpr int face_reals = 2 * half_spinor_reals;
constexpr std::int64_t face_site_bytes = face_reals * std::int64_t{8};

// One item is a site of a face.
constexpr parallel::KernelCard force_faces_card{
    .name = "force_faces", .flops = 24.0, .bytes = 2.0 * 192.0 + 192.0, .vectorised = false};
// One item is a site with its four links. Two outer products of two spins, four projections, the
// product with the link, and its traceless part. The spinors of neighbours are found in a cache
// again.
constexpr parallel::KernelCard quark_force_card{
    .name = "quark_force",
    .flops = axes * (4.0 * 9.0 * 8.0 + 4.0 * 12.0 + 198.0 + 24.0),
    .bytes = 2.0 * 192.0 + 576.0 + 576.0,
    .vectorised = true};

template <class F>
void with_axis(int axis, F&& f) {
  if (axis == 0) f.template operator()<0>();
  if (axis == 1) f.template operator()<1>();
  if (axis == 2) f.template operator()<2>();
  if (axis == 3) f.template operator()<3>();
}

// The neighbours ahead of a vector's sites.
template <int Lanes>
struct NeighbourLanes {
  const std::int32_t* slots;
  const double* face;  // of the axis
  bool together;       // all in one vector, lane by lane

  NeighbourLanes(const std::int32_t* of, const double* arrived) : slots(of), face(arrived) {
    together = slots[0] >= 0 && slots[0] % Lanes == 0;
    for (int lane = 1; lane < Lanes; ++lane) together = together && slots[lane] == slots[0] + lane;
  }

  // (1 + Sign γ) of the spinors; `part` is 0 for X, and 1 for Y.
  template <int Axis, int Sign>
  HalfSpinor<Vector<double, Lanes>> projected(const double* field, int part) const {
    using V = Vector<double, Lanes>;
    if (together) {
      const double* spinor = field + std::int64_t{slots[0]} * spinor_reals;
      return project<Axis, Sign, V>([&](int s, int c) {
        const double* from = spinor + (s * colours + c) * 2 * Lanes;
        return ComplexOf<V>{load_vector<double, Lanes>(from),
                            load_vector<double, Lanes>(from + Lanes)};
      });
    }
    HalfSpinor<V> half;
    for (int lane = 0; lane < Lanes; ++lane) {
      const HalfSpinor<double> one = projected_lane<Axis, Sign>(field, part, slots[lane]);
      for (int a = 0; a < 2; ++a)
        for (int c = 0; c < colours; ++c) {
          set_lane_of<Lanes>(half.at[a][c].re, lane, one.at[a][c].re);
          set_lane_of<Lanes>(half.at[a][c].im, lane, one.at[a][c].im);
        }
    }
    return half;
  }

  template <int Axis, int Sign>
  HalfSpinor<double> projected_lane(const double* field, int part, std::int32_t slot) const {
    if (slot < 0) {
      HalfSpinor<double> came;
      std::memcpy(
          &came,
          face + std::int64_t{-1 - slot} * face_reals + std::int64_t{part} * half_spinor_reals,
          sizeof came);
      return came;
    }
    const double* spinor = field + std::int64_t{slot / Lanes} * spinor_reals * Lanes + slot % Lanes;
    return project<Axis, Sign, double>([&](int s, int c) {
      const double* from = spinor + (s * colours + c) * 2 * Lanes;
      return ComplexOf<double>{from[0], from[Lanes]};
    });
  }
};

// sum += Σ_spin a b†.
template <class V>
void add_outer(ColourMatrix<V>& sum, const HalfSpinor<V>& a, const HalfSpinor<V>& b) {
#pragma GCC unroll 2
  for (int s = 0; s < 2; ++s)
#pragma GCC unroll 3
    for (int i = 0; i < colours; ++i)
#pragma GCC unroll 3
      for (int j = 0; j < colours; ++j) {
        const ComplexOf<V>&x = a.at[s][i], &y = b.at[s][j];
        sum.re[i][j] = fused(x.im, y.im, fused(x.re, y.re, sum.re[i][j]));
        sum.im[i][j] = fused(x.im, y.re, fused(-x.re, y.im, sum.im[i][j]));
      }
}

template <int Lanes>
class ForceKernel {
 public:
  using V = Vector<double, Lanes>;

  const UpdateFields& fields;
  const SpinorSites& sites;
  const SpinorPair &x, &y;
  const std::array<std::array<double, 2>, axes>& boundary;
  std::array<const double*, axes> faces;
  double factor;
  Momenta& to;

  void at(int parity, std::int64_t vector) const {
    one<0>(parity, vector);
    one<1>(parity, vector);
    one<2>(parity, vector);
    one<3>(parity, vector);
  }

 private:
  template <int Axis>
  void one(int parity, std::int64_t vector) const {
    const NeighbourLanes<Lanes> ahead(sites.ahead(parity, vector, Axis), faces[Axis]);
    const auto here = [&]<int Sign>(const SpinorPair& pair) {
      const double* spinor = pair.data(parity) + vector * spinor_reals * Lanes;
      return project<Axis, Sign, V>([&](int s, int c) {
        const double* from = spinor + (s * colours + c) * 2 * Lanes;
        return ComplexOf<V>{load_vector<double, Lanes>(from),
                            load_vector<double, Lanes>(from + Lanes)};
      });
    };
    ColourMatrix<V> outer{};
    add_outer(outer, ahead.template projected<Axis, -1>(x.data(1 - parity), 0),
              here.template operator()<-1>(y));
    add_outer(outer, ahead.template projected<Axis, 1>(y.data(1 - parity), 1),
              here.template operator()<1>(x));
    const std::int32_t* own = sites.sites(parity, vector);
    const Matrix* links[Lanes];
    for (int lane = 0; lane < Lanes; ++lane)
      links[lane] = fields.links.matrices() +
                    std::int64_t{axes} * fields.sites.own()[static_cast<std::size_t>(own[lane])] +
                    Axis;
    ColourMatrix<V> moved = product(load_links<Lanes>(links), outer);
    turn<Axis>(parity, vector, moved);
    const ColourMatrix<V> part = traceless_antihermitian(factor, moved);
    Matrix* found[Lanes];
    for (int lane = 0; lane < Lanes; ++lane)
      found[lane] = to.data() + std::int64_t{axes} * own[lane] + Axis;
    store_links<Lanes>(part, found);
  }

  // Multiplies the lanes whose link crosses the lattice's edge by the boundary's phase.
  template <int Axis>
  void turn(int parity, std::int64_t vector, ColourMatrix<V>& m) const {
    const auto [re, im] = boundary[Axis];
    const std::uint8_t* crossings = sites.crossings(parity, vector);
    bool any = false;
    V turn_re{}, turn_im{};
    for (int lane = 0; lane < Lanes; ++lane) {
      const bool crosses = (crossings[lane] >> Axis & 1) != 0;
      any = any || crosses;
      set_lane_of<Lanes>(turn_re, lane, crosses ? re : 1.0);
      set_lane_of<Lanes>(turn_im, lane, crosses ? im : 0.0);
    }
    if (!any || (re == 1.0 && im == 0.0)) return;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const V a = m.re[i][j], b = m.im[i][j];
        m.re[i][j] = fused(-turn_im, b, turn_re * a);
        m.im[i][j] = fused(turn_im, a, turn_re * b);
      }
  }
};

}  // namespace

QuarkForce::QuarkForce(const UpdateFields& fields, const std::array<double, axes>& phases)
    : fields_(fields), along_(axes) {
  const Domain domain = fields.position.domain();
  for (int axis = 0; axis < axes; ++axis) {
    boundary_[axis] = boundary_factor(phases[axis]);
    if (!domain.split(axis)) continue;
    const std::int64_t face = domain.face(axis), size = face * face_site_bytes;
    faces_[axis] = {
        .sites = face, .leaves = bytes_, .arrives = bytes_ + parallel::whole_lines(size)};
    bytes_ += 2 * parallel::whole_lines(size);
    along_[static_cast<std::size_t>(axis)] =
        backward_exchange(fields.position, phases::force[axis], axis,
                          {.offset = faces_[axis].leaves, .run = size, .repeats = nullptr},
                          {.offset = faces_[axis].arrives, .run = size, .repeats = nullptr});
  }
  if (fields.real) memory_ = parallel::Buffer<std::byte>(bytes_);
}

// Each rank needs the first plane of the one behind: (1 - γ) X and (1 + γ) Y.
void QuarkForce::fetch(const HaloHopping<double>& hopping, const SpinorPair& x, const SpinorPair& y,
                       workload::Listener& listener) {
  const Domain domain = fields_.position.domain();
  for (int axis = 0; axis < axes; ++axis) {
    if (!domain.split(axis)) continue;
    listener.kernel(force_faces_card, static_cast<double>(faces_[axis].sites), [&] {
      const Hopping<double>& kernel = hopping.kernel();
      const int lanes = kernel.lanes();
      Extents face = domain.extents();
      face[axis] = 1;
      auto* to = reinterpret_cast<double*>(memory_.data() + faces_[axis].leaves);
      parallel::for_blocks(
          faces_[axis].sites, fields_.threads, [&](std::int64_t begin, int n, int) {
            for (std::int64_t site = begin; site < begin + n; ++site) {
              const Extents at = coordinates_of(face, site);
              const std::int64_t place = kernel.place(at);
              const auto component = [&](const SpinorPair& pair) {
                const double* spinor = pair.data(parity_of(at)) + place;
                return [spinor, lanes](int s, int c) {
                  const double* from = spinor + (s * colours + c) * 2 * lanes;
                  return ComplexOf<double>{from[0], from[lanes]};
                };
              };
              with_axis(axis, [&]<int Axis>() {
                const auto of_x = project<Axis, -1, double>(component(x));
                const auto of_y = project<Axis, 1, double>(component(y));
                std::memcpy(to + site * face_reals, &of_x, sizeof of_x);
                std::memcpy(to + site * face_reals + half_spinor_reals, &of_y, sizeof of_y);
              });
            }
          });
    });
    listener.start(exchange::common_channel, [&](exchange::Works& works) {
      const exchange::ItemBuffer buffer(memory_.size() > 0 ? memory_.data() : nullptr, bytes_);
      works.push_back({exchange::lent(along_[static_cast<std::size_t>(axis)]), buffer, buffer});
    });
    listener.finish(exchange::common_channel);
  }
}

void QuarkForce::set(const HaloHopping<double>& hopping, const SpinorSites& sites,
                     const SpinorPair& x, const SpinorPair& y, double factor, Momenta& to,
                     workload::Listener& listener) {
  fetch(hopping, x, y, listener);
  listener.kernel(quark_force_card, static_cast<double>(fields_.volume()), [&] {
    parallel::with_lanes<double>(sites.lanes(), [&]<int Lanes>() {
      ForceKernel<Lanes> force{fields_, sites, x, y, boundary_, {}, factor, to};
      for (int axis = 0; axis < axes; ++axis)
        force.faces[axis] = reinterpret_cast<const double*>(memory_.data() + faces_[axis].arrives);
      for_rows(static_cast<int>(sites.vectors()), fields_.threads, {}, [&](std::int64_t vector) {
        for (int parity = 0; parity < 2; ++parity) force.at(parity, vector);
      });
    });
  });
}

}  // namespace phasewise::qcd
