// Builds lines and bunches from parameters.
#pragma once

#include "beam/distribution.hpp"
#include "beam/element_keys.hpp"
#include "beam/line.hpp"
#include "workload/parameters.hpp"

namespace phasewise::beam {

// The element that the key `element` names.
Element build_element(const ElementKeys& keys);

// The elements line.B.S.1, line.B.S.2, … of beam B (1, 2) from interaction point S (from 1) on.
Line build_line(const workload::Parameters& parameters, int beam, int segment);

// The bunch beam.B, matched to the optics of interaction point 1.
BunchDescription build_bunch(const workload::Parameters& parameters, int beam);

}  // namespace phasewise::beam
