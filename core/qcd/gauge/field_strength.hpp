// The field strength of a configuration from the four leaves around a site.
#pragma once

#include <array>

#include "qcd/dirac/site_blocks.hpp"
#include "qcd/gauge/links.hpp"

namespace phasewise::qcd {

using FieldStrength = std::array<Matrix, planes>;  // xy xz xt yz yt zt

// F = (Q - Q†)/8 at a site, where Q is the sum of the four leaves (Sheikholeslami, Wohlert, Nucl.
// Phys. B 259 (1985) 572). Needs a halo of one plane with its corners.
FieldStrength field_strength(const Links& links, const Extents& site);

}  // namespace phasewise::qcd
