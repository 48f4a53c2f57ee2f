// A lattice: magnets with a length in the order in which the beam meets them. It can be cut
// anywhere, for example where a kick is to act between two parts of a quadrupole.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "beam/combined_bend.hpp"
#include "beam/line.hpp"
#include "beam/thick.hpp"

namespace phasewise::beam {

// What fills an element from its entry to its exit.
using Body = std::variant<Drift, Quadrupole, SectorBend, CombinedBend, Solenoid, ConstantFocusing>;

// An element of a lattice: a body, and kicks at places within it. An element without length has
// only kicks.
struct LatticeElement {
  struct Kick {
    double place;  // from the entry [m]
    Element element;
  };
  double length = 0.0;  // m
  Body body{};
  std::vector<Kick> kicks{};  // by rising place
  bool monitor = false;       // the bunch is measured here
};

class Lattice {
 public:
  explicit Lattice(std::vector<LatticeElement> elements);

  double length() const { return length_; }  // m
  // Places of the monitors [m], in order.
  const std::vector<double>& monitors() const { return monitors_; }

  // The elements between two places [m]. A kick at `from` belongs to them, and one at `to` to the
  // elements that follow; only at the end of the lattice do kicks at `to` belong to them.
  std::vector<Element> between(double from, double to) const;
  std::vector<Element> whole() const { return between(0.0, length_); }

  std::size_t size() const { return elements_.size(); }
  double length_of(std::size_t i) const { return elements_[i].length; }  // m
  // All that element i consists of.
  std::vector<Element> element(std::size_t i) const;

 private:
  std::vector<LatticeElement> elements_;
  std::vector<double> entries_;  // m
  std::vector<double> monitors_;
  double length_ = 0.0;
};

// How particles go through a lattice: by the elements' own maps, or by the Taylor expansion of
// everything between two apertures about the reference orbit, to first or second order. The
// expansion to first order is symplectic, that to second order only up to terms of third order.
enum class Maps { exact, linear, second_order };

// Returns the elements with consecutive ones joined into one map of this order. Elements that have
// no expansion, and those that move the reference particle, stay as they are.
std::vector<Element> joined(const std::vector<Element>& elements, Maps maps);

// The Taylor expansion of a map about the reference orbit, u_i → R_ij u_j + T_ijk u_j u_k, for
// particles that no aperture stops. The second value is false if an element has no expansion, or
// moves the reference particle.
std::pair<SecondOrder, bool> expansion(const std::vector<Element>& elements);

// A place in phase space: x, px, y, py, z, δ.
using Place = std::array<double, 6>;

// Where elements take a place, and the expansion of their map about it, in distances from `start`
// and `end`.
struct Passage {
  Place end{};
  SecondOrder map{};
};
// The second value is false if an element has no expansion.
std::pair<Passage, bool> expansion_about(const Place& start, const std::vector<Element>& elements);

}  // namespace phasewise::beam
