// The names of the phases of a kick, for both messages and kernels: those of Amundson, "Initial
// profiling and optimization of single-bunch performance in Synergia 2.1" (2011), in plain words.
#pragma once

#include <string_view>

#include "exchange/exchange.hpp"

namespace phasewise::spacecharge {

namespace phases {
inline constexpr std::string_view charge_local = "charge_local", charge_global = "charge_global",
                                  potential = "potential", field_global = "field_global",
                                  kick = "kick", green = "green", extent = "extent", sort = "sort",
                                  wrap = "wrap", moments = "moments", losses = "losses",
                                  tracked = "tracked";
}

namespace channels {
inline constexpr exchange::Channel transpose{0}, charge{1}, field{2};
}

}  // namespace phasewise::spacecharge
