// What happens to the coefficients of one wavenumber: winds from vorticity and divergence, and a
// timestep (Hack, Jakob, NCAR/TN-343+STR, 1992).
#pragma once

#include <cstdint>
#include <span>

#include "parallel/kernel.hpp"
#include "sphere/columns.hpp"
#include "sphere/description.hpp"

namespace phasewise::sphere {

// Fields of the products, of the state and of the synthesis, in their order.
namespace products {
enum : int { a, b, c, d, k, fields };
}
namespace state {
enum : int { vorticity, divergence, geopotential, fields };
}
namespace grid {
enum : int { u, v, vorticity, geopotential, fields };
}

// Doubles of one coefficient of the state, [field][re, im][level].
inline std::int64_t state_width(int levels) { return std::int64_t{2} * state::fields * levels; }

// The rows of the synthesis, [l - m][grid][re, im][level] for degrees m … M + 1, of a state
// [l - m][state][re, im][level].
void rows_of_state(const Description& description, int m, const double* from, double* rows);

// The same for u cos φ and v cos φ alone, rows [l - m][u, v][re, im][level], of a state
// [l - m][state][re, im][level] whose geopotential is not read; and back from the rows of
// A = -v / cos φ and B = u / cos φ to [l - m][vorticity, divergence][re, im][level].
void winds_of_state(const Description& description, int m, const double* from, double* rows);
void state_of_winds(const Description& description, int m, const double* rows, double* to);

// One item is a coefficient (m, l) of the state at a level.
parallel::KernelCard advance_card();
// A timestep of length `step` for the coefficients of one wavenumber: next = base + step tendency,
// where `here` is the state that the tendencies are of, and semi-implicit gravity waves are about
// the mean geopotential of each level. `next` is neither of the others.
void advance(const Description& description, int m, double step,
             std::span<const double> mean_geopotential, const double* base, const double* here,
             const double* tendency, double* next);

}  // namespace phasewise::sphere
