#include "beam/lattice.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/jet.hpp"

namespace phasewise::beam {
namespace {

using numerics::Jet;
using Expansion = CoordinatesOf<Jet>;

Expansion identity(const Place& about = {}) {
  return {Jet::variable(0, about[0]), Jet::variable(1, about[1]), Jet::variable(2, about[2]),
          Jet::variable(3, about[3]), Jet::variable(4, about[4]), Jet::variable(5, about[5])};
}

Place place_of(const Expansion& map) {
  return {map.x.value, map.px.value, map.y.value, map.py.value, map.z.value, map.delta.value};
}

// Takes an expansion through an element; false if the element has none.
bool advance(Expansion& map, const Element& element) {
  return std::visit(
      [&](const auto& e) {
        if constexpr (requires(Expansion & c) { e.map(c); }) {
          e.map(map);
          return true;
        } else {
          return false;
        }
      },
      element);
}

// Does the same, but also returns false if the element moves the reference particle; the expansion
// then stays as it was.
bool carry(Expansion& map, const Element& element) {
  Expansion after = map;
  if (!advance(after, element) || place_of(after) != Place{}) return false;
  map = after;
  return true;
}

SecondOrder coefficients(const Expansion& map) {
  SecondOrder result{};
  const Jet* rows[6] = {&map.x, &map.px, &map.y, &map.py, &map.z, &map.delta};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      result.rows[i][j] = rows[i]->first[j];
      for (int k = 0; k < 6; ++k)
        result.quadratic[i][SecondOrder::index(j, k)] += rows[i]->second[j][k];
    }
  return result;
}

Element element_of(const Expansion& map, Maps maps) {
  const SecondOrder all = coefficients(map);
  if (maps == Maps::second_order) {
    if (const auto form = midplane_form(all)) return *form;
    return all;
  }
  Matrix linear{};
  std::copy_n(&all.rows[0][0], 36, &linear.rows[0][0]);
  return linear;
}

// Appends a body of this length as pieces, each short enough for the body's map.
void append_body(std::vector<Element>& to, const Body& body, double length) {
  if (!(length > 0.0)) return;
  std::visit(
      [&](const auto& whole) {
        const int pieces = std::max(1, static_cast<int>(std::ceil(length / whole.longest())));
        for (int i = 0; i < pieces; ++i) to.emplace_back(whole.of_length(length / pieces));
      },
      body);
}

}  // namespace

Lattice::Lattice(std::vector<LatticeElement> elements) : elements_(std::move(elements)) {
  for (const LatticeElement& element : elements_) {
    entries_.push_back(length_);
    if (element.monitor) monitors_.push_back(length_);
    length_ += element.length;
  }
}

std::vector<Element> Lattice::between(double from, double to) const {
  const bool to_end = to >= length_;
  const auto here = [&](double place) { return place >= from && (place < to || to_end); };
  std::vector<Element> result;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const LatticeElement& element = elements_[i];
    const double entry = entries_[i], exit = entry + element.length;
    if (exit < from || (entry >= to && !to_end)) continue;
    double at = std::max(entry, from);
    for (const LatticeElement::Kick& kick : element.kicks) {
      const double place = entry + kick.place;
      if (!here(place)) continue;
      append_body(result, element.body, place - at);
      result.push_back(kick.element);
      at = std::max(at, place);
    }
    append_body(result, element.body, std::min(exit, to) - at);
  }
  return result;
}

std::vector<Element> Lattice::element(std::size_t i) const {
  const LatticeElement& element = elements_[i];
  std::vector<Element> result;
  double at = 0.0;
  for (const LatticeElement::Kick& kick : element.kicks) {
    append_body(result, element.body, kick.place - at);
    result.push_back(kick.element);
    at = kick.place;
  }
  append_body(result, element.body, element.length - at);
  return result;
}

std::pair<SecondOrder, bool> expansion(const std::vector<Element>& elements) {
  Expansion map = identity();
  const bool all = std::ranges::all_of(elements, [&](const Element& element) {
    return is_aperture(element) || carry(map, element);
  });
  return {coefficients(map), all};
}

std::pair<Passage, bool> expansion_about(const Place& start, const std::vector<Element>& elements) {
  Expansion map = identity(start);
  const bool all = std::ranges::all_of(elements, [&](const Element& element) {
    return is_aperture(element) || advance(map, element);
  });
  return {{place_of(map), coefficients(map)}, all};
}

std::vector<Element> joined(const std::vector<Element>& elements, Maps maps) {
  if (maps == Maps::exact) return elements;
  std::vector<Element> result;
  Expansion run = identity();
  bool empty = true;
  const auto end_run = [&] {
    if (!empty) result.push_back(element_of(run, maps));
    run = identity();
    empty = true;
  };
  for (const Element& element : elements) {
    if (carry(run, element)) {
      empty = false;
      continue;
    }
    end_run();
    result.push_back(element);
  }
  end_run();
  return result;
}

}  // namespace phasewise::beam
