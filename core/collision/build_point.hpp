// Reads an interaction point, and the design moments of a beam there, from the flat parameters.
#pragma once

#include "beam/slices.hpp"
#include "collision/interaction_point.hpp"
#include "workload/parameters.hpp"

namespace phasewise::collision {

// `ip` counts from 1, as in the parameters.
InteractionPoint build_point(const workload::Parameters& parameters, int ip);

// The design optics and sizes of a beam at an interaction point, as the moments of a Gaussian
// bunch.
beam::Moments design_moments(const workload::Parameters& parameters, int beam, int ip);

// A Gaussian bunch's z distribution as a histogram.
beam::LongitudinalHistogram gaussian_histogram(double mean, double rms);

}  // namespace phasewise::collision
