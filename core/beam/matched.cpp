#include "beam/matched.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "beam/normal_modes.hpp"
#include "beam/periodic.hpp"

namespace phasewise::beam {
namespace {

void set_columns(Square& columns, const NormalMode& mode, double emittance) {
  const double root = std::sqrt(emittance);
  for (int i = 0; i < 6; ++i) {
    columns[i][2 * mode.plane] = root * mode.a[i];
    columns[i][2 * mode.plane + 1] = root * mode.b[i];
  }
}

NormalMode mode_of(const PlaneOptics& o, int plane) {
  NormalMode mode{.plane = plane};
  mode.a[2 * plane] = o.sqrt_beta;
  mode.a[2 * plane + 1] = -o.alpha / o.sqrt_beta;
  mode.b[2 * plane + 1] = 1.0 / o.sqrt_beta;
  return mode;
}

// The three modes. If the cavities drive z apart, the sentence says so: δ then rises along z with
// the sign with which z rises along δ.
std::vector<NormalMode> modes_with_rf(const SecondOrder& passage) {
  const Square matrix = square_of(passage.rows);
  try {
    return normal_modes(matrix, 6);
  } catch (const std::invalid_argument&) {
    normal_modes(matrix, 4);  // which has a sentence of its own
    const double slip = applied(matrix, periodic_dispersion(passage))[4];
    if (matrix[5][4] * slip <= 0.0) throw;
    throw std::invalid_argument(
        std::string("the cavities do not bunch the beam: with their phase the motion in z is "
                    "unstable; this lattice is ") +
        (slip > 0.0 ? "below transition, where a phase about 1/2 turn bunches"
                    : "above transition, where a phase about 0 bunches"));
  }
}

}  // namespace

Square matched_columns(const SecondOrder& passage, const BunchSize& size) {
  std::vector<NormalMode> modes;
  std::array<double, 6> dispersion{};
  if (couples(passage)) {
    modes = normal_modes(square_of(passage.rows), 4);
    dispersion = periodic_dispersion(passage);
  } else {
    const Optics o = periodic_optics(passage).optics;
    modes = {mode_of(o.x, 0), mode_of(o.y, 1)};
    dispersion = {o.x.dispersion, o.x.dispersion_slope, o.y.dispersion, o.y.dispersion_slope};
  }
  Square columns{};
  set_columns(columns, modes[0], size.emittance_x);
  set_columns(columns, modes[1], size.emittance_y);
  columns[4][4] = size.bunch_length;
  for (int i = 0; i < 4; ++i) columns[i][5] = size.momentum_spread * dispersion[i];
  columns[5][5] = size.momentum_spread;
  return columns;
}

Square matched_columns_with_rf(const SecondOrder& passage, const BunchSize& size) {
  if (passage.rows[5][4] == 0.0)
    throw std::invalid_argument(
        "the lattice has no cavity that bunches the beam, and matching in all planes needs one");
  const std::vector<NormalMode> modes = modes_with_rf(passage);
  Square columns{};
  set_columns(columns, modes[0], size.emittance_x);
  set_columns(columns, modes[1], size.emittance_y);
  const int row = size.bunch_length > 0.0 ? 4 : 5;
  const double given = row == 4 ? size.bunch_length : size.momentum_spread;
  double square = given * given;
  for (int k = 0; k < 4; ++k) square -= columns[row][k] * columns[row][k];
  if (!(square > 0.0))
    throw std::invalid_argument(
        "the transverse emittances alone make the bunch longer, or its momentum spread larger, "
        "than the given one");
  const NormalMode& z = modes[2];
  set_columns(columns, z, square / (z.a[row] * z.a[row] + z.b[row] * z.b[row]));
  return columns;
}

}  // namespace phasewise::beam
