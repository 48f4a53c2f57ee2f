// How the phases of space charge exchange their data, from a study's [communication].
#pragma once

#include <cstdint>

#include "exchange/phase_setting.hpp"
#include "workload/parameters.hpp"

namespace phasewise::spacecharge {

enum class Decomposition : std::uint8_t { slabs, pencils };

struct Settings {
  Decomposition decomposition = Decomposition::slabs;  // for a whole run
  exchange::PhaseSetting charge, field;
  exchange::Transpose transpose = exchange::Transpose::pairwise;
};

// Throws std::invalid_argument with one sentence if communication.* cannot be used.
Settings read_settings(const workload::Parameters& parameters);

}  // namespace phasewise::spacecharge
