// The hopping matrix between the sites of one parity and those of the other:
//
//   (H ψ)(x) = Σ_µ (1 - γ_µ) U_µ(x) ψ(x + µ̂) + (1 + γ_µ) U†_µ(x - µ̂) ψ(x - µ̂)
//
// Wilson, "Quarks and strings on a lattice" (1977). The eight terms of a site are added in this
// order wherever they come from, so that the bits do not depend on ranks.
#pragma once

#include <array>
#include <vector>

#include "lattice/description.hpp"
#include "lattice/links.hpp"
#include "lattice/spinor.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::lattice {

using Field = parallel::Buffer<Spinor>;  // of the sites of one parity

inline constexpr double hopping_flops = 1320.0;  // of a site

class Hopping {
 public:
  Hopping(const Domain& domain, Spinors spinors, bool real);

  // Takes the links as they are, with the phases of the boundary; the halo behind is needed for
  // whole spinors.
  void set_links(const Links& links, const std::array<double, axes>& phases);

  // Sites of a parity that need, or do not need, what other ranks send.
  std::int64_t at_edge() const { return domain_.volume() / 2 - inside(); }
  std::int64_t inside() const;

  // Writes what neighbours along an axis need of a field whose sites have this parity.
  void pack(int axis, int parity, const Field& in, int threads);
  // H of sites of this parity from the field of the other: all, those inside, or those at the edge.
  void all(int parity, Field& out, const Field& in, int threads) const;
  void inner(int parity, Field& out, const Field& in, int threads) const;
  void edge(int parity, Field& out, const Field& in, int threads) const;

  // The memory of messages, null without contents, and the parts of it along an axis.
  std::byte* messages() { return messages_.size() > 0 ? messages_.data() : nullptr; }
  std::int64_t message_bytes() const { return total_; }
  Faces faces(int axis) const;
  // Contiguous runs of a face's sites of one parity in a field.
  std::int64_t runs(int axis) const;

  static parallel::KernelCard card();
  // Of one site of a face, one way.
  parallel::KernelCard pack_card() const;

 private:
  struct Neighbours {
    std::int32_t at[2 * axes];  // forwards and backwards along each axis; below 0: in a message
  };
  std::int64_t site_bytes() const;
  std::int64_t offset(int axis, int part) const;
  template <int axis>
  void pack_along(int parity, const Field& in, int threads);
  Spinor site(int parity, std::int64_t i, const Field& in) const;
  template <int axis>
  void add_terms(Spinor& sum, int parity, std::int64_t i, const Field& in) const;
  template <int axis>
  HalfSpinor before(std::int64_t face, int parity) const;
  template <class T>
  T* part(int axis, int number) const {
    return reinterpret_cast<T*>(messages_.data() + offset(axis, number));
  }

  Domain domain_;
  Spinors spinors_;
  std::int64_t total_ = 0;
  mutable parallel::Buffer<std::byte> messages_;
  // By parity of the site: its neighbours, links forwards and backwards, and lists of sites.
  std::array<std::vector<Neighbours>, 2> neighbours_;
  std::array<std::vector<std::int32_t>, 2> inner_, edge_;
  std::array<std::array<std::array<std::vector<std::int32_t>, 2>, axes>, 2> face_;
  std::array<parallel::Buffer<Matrix>, 2> links_;  // [site][axis], forwards
  // Of the sites before the first plane of an axis, by the parity of those sites.
  std::array<std::array<std::vector<Matrix>, axes>, 2> before_;
};

}  // namespace phasewise::lattice
