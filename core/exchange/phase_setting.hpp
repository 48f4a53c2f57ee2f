// How one phase exchanges its data.
#pragma once

#include <cstdint>

#include "exchange/rounds.hpp"

namespace phasewise::exchange {

// The library's collectives that serve a phase.
enum class LibraryForm : std::uint8_t {
  scattered,   // reduce-scatter; allgatherv
  gathered,    // gatherv, then broadcast
  all_reduced  // allreduce; the values of other members enter as zeros
};

struct PhaseSetting {
  Algorithm algorithm = Algorithm::hypercube;
  LibraryForm form = LibraryForm::scattered;
  Schedule schedule = Schedule::ring;
  bool aggregate = true;  // one message for all slices of a step
};

}  // namespace phasewise::exchange
