// How the phases of space charge exchange their data, from a study's [communication].
#pragma once

#include "comm/phase_setting.hpp"
#include "workload/parameters.hpp"

namespace phasewise::spacecharge {

struct Settings {
  comm::PhaseSetting charge, field;
  comm::Transpose transpose = comm::Transpose::pairwise;
};

// Throws std::invalid_argument with one sentence if communication.* cannot be used.
Settings read_settings(const workload::Parameters& parameters);

}  // namespace phasewise::spacecharge
