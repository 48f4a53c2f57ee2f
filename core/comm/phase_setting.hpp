// How one phase exchanges its data.
#pragma once

#include <cstdint>

#include "comm/rounds.hpp"

namespace phasewise::comm {

// The library's collectives that serve a phase.
enum class LibraryForm : std::uint8_t {
  scattered,   // reduce-scatter; allgatherv
  gathered,    // gatherv, then broadcast
  all_reduced  // allreduce; values that others own enter as zeros
};

// The calls by which the messages of a round go.
enum class Variant : std::uint8_t {
  irecv_isend,  // all receives posted, then all sends
  sendrecv,     // the i-th send together with the i-th receive
  persistent    // as irecv_isend, by requests that are made once
};

struct PhaseSetting {
  Algorithm algorithm = Algorithm::hypercube;
  LibraryForm form = LibraryForm::scattered;
  Schedule schedule = Schedule::ring;
  bool aggregate = true;  // one message for all slices of a step
};

}  // namespace phasewise::comm
