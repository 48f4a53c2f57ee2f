// The hopping matrix on a rank's part of the lattice, with the faces of its neighbours.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "qcd/dirac/face_messages.hpp"
#include "qcd/dirac/spin.hpp"
#include "qcd/gauge/lane_matrices.hpp"
#include "qcd/manner.hpp"
#include "workload/listener.hpp"

namespace phasewise::qcd {

template <class Real>
using Field = parallel::Buffer<Real>;  // of one parity, in the order of the kernel

// A field of zeros.
template <class Real>
Field<Real> zeros(std::int64_t reals) {
  Field<Real> field(reals);
  std::fill_n(field.data(), reals, Real{0});
  return field;
}

// Links with the factors of the hops. The caller keeps them, so that the manner can change.
struct Hops {
  const Links* links = nullptr;
  LinkFactors factors{};
  // The same links in vectors of this many lanes, with a halo, for the clover term.
  std::function<const LaneMatrices&(int)> in_lanes{};
};

template <class Real>
class HaloHopping {
 public:
  // `real` says whether it has memory. The position must outlive it.
  HaloHopping(const Position& position, const Manner& manner, int threads, bool real);

  void set_links(const Hops& hops, workload::Listener& listener);
  void set_manner(const Manner& manner);
  // The exchanges, in the same order on all ranks.
  exchange::Exchanges exchanges() const;

  // Applies H or H† to the sites of the other parity.
  void apply(int to, bool dagger, const Field<Real>& in, Field<Real>& out,
             workload::Listener& listener);

  const Domain& domain() const { return domain_; }
  const Hopping<Real>& kernel() const { return *hopping_; }
  // The number of reals of a field; 0 without memory.
  std::int64_t reals() const { return real_ ? domain_.volume() / 2 * spinor_reals : 0; }
  double half_volume() const { return 0.5 * static_cast<double>(domain_.volume()); }

 private:
  void make_hopping();
  void make_exchanges();
  exchange::ExchangePointer exchange_of(int axis, int parity) const;
  void start_exchange(int axis, int to, const Field<Real>& in, workload::Listener& listener);
  void finish_exchanges(workload::Listener& listener);
  bool beside() const;
  std::int64_t inside() const;

  const Position& position_;
  Domain domain_;
  Manner manner_;
  int threads_;
  bool real_;
  FaceMessages messages_;
  // The exchanges along each axis, by the parity of the sites that are sent; null along an axis
  // that is not split.
  std::array<exchange::Exchanges, 2> exchanges_;
  Hops hops_;
  std::unique_ptr<Hopping<Real>> hopping_;
};

}  // namespace phasewise::qcd
