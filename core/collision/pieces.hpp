// The names of the pieces of a turn.
#pragma once

#include <string_view>

namespace phasewise::collision::pieces {

inline constexpr std::string_view arrival = "arrival", slices = "slices", green = "green",
                                  step = "step", gaussian = "gaussian", departure = "departure";

}  // namespace phasewise::collision::pieces
