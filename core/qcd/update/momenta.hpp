// The momenta of links, and what monomials of the action work on.
#pragma once

#include <cstdint>
#include <limits>

#include "parallel/buffer.hpp"
#include "parallel/kernel.hpp"
#include "qcd/gauge/link_sites.hpp"
#include "workload/listener.hpp"

namespace phasewise::qcd {

// Of an energy or a force that is not a number.
inline constexpr double infinite = std::numeric_limits<double>::infinity();

// P = i Σ p_a T_a with tr T_a T_b = δ_ab/2, traceless and anti-Hermitian: one for each own link,
// the number of which is 4 (number of the site in LinkSites::own) + axis.
using Momenta = parallel::Buffer<Matrix>;

// What all monomials work on. The links have a valid halo whenever a monomial is asked.
struct UpdateFields {
  const Position& position;
  Links& links;
  LinkSites sites;
  Momenta momenta;
  // Grows with every change of the links, so that whoever keeps something made of links knows when
  // to make it anew.
  std::int64_t version = 1;
  int threads = 1, lanes = 1;
  bool real = false;
  std::uint64_t seed = 1;

  // With `real` there is memory. Position and links must outlive the fields.
  UpdateFields(const Position& position, Links& links, std::uint64_t seed, int threads, int lanes,
               bool real);

  std::int64_t volume() const { return links.domain().volume(); }
  std::int64_t own_links() const { return axes * volume(); }
};

// Squared norms Σ_a (∂_a S)² = -2 tr F² of a force, by own link. A kernel that adds a force calls
// add() for each link.
struct ForceNorms {
  parallel::Buffer<double> last, sum;  // of the last call; of all calls of a trajectory

  void add(std::int64_t link, double squared) {
    last.data()[link] = squared;
    sum.data()[link] += squared;
  }
};

// momenta -= step × `force`, with its norms: for a monomial whose force has several parts, which it
// collects in a field of its own first.
void move_momenta(UpdateFields& fields, const Momenta& force, double step, ForceNorms& norms,
                  workload::Listener& listener);

// Normal deviates p_a of variance 1.
void draw_momenta(UpdateFields& fields, std::int64_t trajectory, workload::Listener& listener);

// Σ p_a²/2 = -tr P² over all links and ranks; infinite if an element is not a number.
double kinetic_energy(const UpdateFields& fields, workload::Listener& listener);

// The largest of `count` numbers of a rank; infinite if one of them is not finite.
double largest_of(const double* values, std::int64_t count, int threads);

}  // namespace phasewise::qcd
