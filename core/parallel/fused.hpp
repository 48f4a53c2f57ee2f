// a b + c, rounded once. It is written out because the core is compiled without contraction.
#pragma once

#include <cmath>

#include "parallel/macros.hpp"

namespace phasewise::parallel {

PHASEWISE_HD double fused(double a, double b, double c) { return std::fma(a, b, c); }
PHASEWISE_HD float fused(float a, float b, float c) { return std::fma(a, b, c); }

}  // namespace phasewise::parallel
