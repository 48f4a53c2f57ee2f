#include "spacecharge/optics_sizes.hpp"

#include <cmath>
#include <cstddef>

namespace phasewise::spacecharge {
namespace {

void set_plane(beam::Square& columns, int u, const beam::PlaneShape& plane, double spread) {
  columns[u][u] = plane.size;
  columns[u + 1][u] = plane.size > 0.0 ? -plane.alpha * plane.emittance / plane.size : 0.0;
  columns[u + 1][u + 1] = plane.size > 0.0 ? plane.emittance / plane.size : 0.0;
  columns[u][5] = spread * plane.dispersion;
  columns[u + 1][5] = spread * plane.dispersion_slope;
}

// The columns of a bunch: a particle is their sum with deviates of rms 1.
beam::Square columns_of(const beam::ProfileDescription& bunch) {
  if (bunch.columns) return *bunch.columns;
  beam::Square columns{};
  set_plane(columns, 0, bunch.x, bunch.momentum_spread);
  set_plane(columns, 2, bunch.y, bunch.momentum_spread);
  columns[4][4] = bunch.bunch_length;
  columns[5][5] = bunch.momentum_spread;
  return columns;
}

double rms(const beam::Square& columns, int u) {
  double square = 0.0;
  for (const double value : columns[u]) square += value * value;
  return std::sqrt(square);
}

}  // namespace

std::vector<FrozenPlace> optics_sizes(const Description& description, const beam::Place& orbit,
                                      bool bunched) {
  beam::Square columns = columns_of(description.profile);
  const double length = rms(columns, 4);
  beam::Place at = orbit;
  std::vector<FrozenPlace> result;
  for (int k = 0; k < description.kicks; ++k) {
    for (const beam::Line& line : description.stretches[static_cast<std::size_t>(k)].lines) {
      const beam::Passage passage = beam::expansion_about(at, line.elements()).first;
      columns = beam::times(beam::square_of(passage.map.rows), columns);
      at = passage.end;
    }
    result.push_back(
        {.centre = {at[0], at[2], at[4]},
         .size = {rms(columns, 0), rms(columns, 2), bunched ? rms(columns, 4) : length}});
  }
  return result;
}

}  // namespace phasewise::spacecharge
