// The phases, in which messages go.
#pragma once

#include <string_view>

namespace phasewise::atmosphere {

namespace phases {
// Columns go to the ranks that compute them, and come back; `costs` lets all ranks know the times
// of all columns.
inline constexpr std::string_view columns_out = "columns_out", columns_back = "columns_back",
                                  costs = "costs", measures = "measures";
}  // namespace phases

}  // namespace phasewise::atmosphere
