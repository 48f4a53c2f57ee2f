// Initial states.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hydro/gas.hpp"
#include "hydro/grid.hpp"
#include "hydro/sweep.hpp"

namespace phasewise::hydro {

enum class Case : std::uint8_t {
  sod,
  lax,
  einfeldt,
  blast_waves,
  sedov,
  noh,
  acoustic_wave,
  kelvin_helmholtz,
  rayleigh_taylor,
  evh1,
  file
};

// The case of this name of a study, such as "blast-waves".
std::optional<Case> case_of(std::string_view name);

// Parameters that a case does not need are ignored.
struct Problem {
  Case kind = Case::sod;
  Gas gas;
  Gravity gravity;                 // rayleigh-taylor: it is at rest in it
  double energy = 1.0;             // sedov, evh1: of the whole space
  double radius = 0.1;             // sedov, evh1: of the region that has it at first
  double amplitude = 0.01;         // of the perturbed velocity
  double ambient_pressure = 1e-6;  // sedov, evh1, noh
};

// The means over a zone. Not for `file`.
Primitive initial_state(const Problem& problem, const Grid& grid, const Zone& zone);

}  // namespace phasewise::hydro
