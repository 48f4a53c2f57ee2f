// Builds lines and bunches from parameters.
#pragma once

#include "beam/distribution.hpp"
#include "beam/element_keys.hpp"
#include "beam/line.hpp"
#include "workload/parameters.hpp"

namespace phasewise::beam {

// Builds the element that the key `element` names.
Element build_element(const ElementKeys& keys);

// Builds the elements line.B.S.1, line.B.S.2, … of beam B (1, 2) after interaction point S (from
// 1).
Line build_line(const workload::Parameters& parameters, int beam, int segment);

// Reads the bunch beam.B, matched to the optics of interaction point 1.
BunchDescription build_bunch(const workload::Parameters& parameters, int beam);

}  // namespace phasewise::beam
