// The phases, in which messages go, and the channels of those under way at once.
#pragma once

#include <string_view>

#include "exchange/exchange.hpp"

namespace phasewise::hydro {

namespace phases {
// Between two axes, by the number of the lower one: upwards from x to y and from y to z, and back.
inline constexpr std::string_view upwards[2] = {"transpose_xy", "transpose_yz"};
inline constexpr std::string_view downwards[2] = {"transpose_yx", "transpose_zy"};
inline constexpr std::string_view courant = "courant", invariants = "invariants", norms = "norms";
}  // namespace phases

namespace channels {
// The messages of two batches are under way at once.
inline constexpr exchange::Channel batches[2] = {exchange::Channel{0}, exchange::Channel{1}};
inline constexpr exchange::Channel transpose{2};
}  // namespace channels

}  // namespace phasewise::hydro
