// The channels of exchanges that may be in flight at once.
#pragma once

#include "exchange/exchange.hpp"

namespace phasewise::collision::channels {

inline constexpr exchange::Channel transpose{0}, reduce{1}, broadcast{2};

}  // namespace phasewise::collision::channels
