// The phases, in which messages go, and the channels of those under way at once.
#pragma once

#include <string_view>

#include "exchange/exchange.hpp"

namespace phasewise::sphere {

namespace phases {
inline constexpr std::string_view transpose = "legendre_transpose", sum = "legendre_sum",
                                  share = "legendre_share", bound = "bound",
                                  invariants = "invariants", norms = "norms", stations = "stations";
}

namespace channels {
// Two blocks of wavenumbers are under way at once.
inline constexpr exchange::Channel blocks[2] = {exchange::Channel{0}, exchange::Channel{1}};
inline constexpr exchange::Channel transpose{2};
}  // namespace channels

}  // namespace phasewise::sphere
