#include "beam/maps.hpp"

#include <algorithm>
#include <utility>

namespace phasewise::beam {
namespace {

enum Coordinate { x, px, y, py, z, delta };

// Takes coefficients out of a row of a map: those of single coordinates, then those of products.
template <std::size_t singles, std::size_t products>
void take(SecondOrder& map, int row, const Coordinate (&of)[singles],
          const std::pair<Coordinate, Coordinate> (&of_products)[products],
          double (&to)[singles + products]) {
  double* next = to;
  for (const Coordinate j : of) *next++ = std::exchange(map.rows[row][j], 0.0);
  for (const auto& [j, k] : of_products)
    *next++ = std::exchange(map.quadratic[row][SecondOrder::index(j, k)], 0.0);
}

void take_even(SecondOrder& map, int row, double (&to)[12]) {
  take(map, row, {x, px, delta},
       {{x, x},
        {x, px},
        {x, delta},
        {px, px},
        {px, delta},
        {delta, delta},
        {y, y},
        {y, py},
        {py, py}},
       to);
}

void take_odd(SecondOrder& map, int row, double (&to)[8]) {
  take(map, row, {y, py}, {{y, x}, {y, px}, {y, delta}, {py, x}, {py, px}, {py, delta}}, to);
}

}  // namespace

std::optional<MidplaneSecondOrder> midplane_form(const SecondOrder& map) {
  SecondOrder rest = map;
  MidplaneSecondOrder form{};
  take_even(rest, x, form.x);
  take_even(rest, px, form.px);
  take_odd(rest, y, form.y);
  take_odd(rest, py, form.py);
  take_even(rest, z, form.z);
  for (const Coordinate i : {z, delta})
    if (std::exchange(rest.rows[i][i], 0.0) != 1.0) return {};
  const auto none = [](double value) { return value == 0.0; };
  const bool complete =
      std::all_of(&rest.rows[0][0], &rest.rows[0][0] + 36, none) &&
      std::all_of(&rest.quadratic[0][0], &rest.quadratic[0][0] + 6 * SecondOrder::products, none);
  if (!complete) return {};
  return form;
}

}  // namespace phasewise::beam
