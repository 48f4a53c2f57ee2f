// The phases that reduce charges or broadcast potentials, and the ranks among which they exchange.
#pragma once

#include <string_view>

#include "collision/exchange/channels.hpp"
#include "collision/exchange/plan_basis.hpp"

namespace phasewise::collision {

struct PhaseKind {
  Among among;
  bool reduces;  // else it broadcasts

  std::string_view name() const {
    switch (among) {
      case Among::column:
        return reduces ? "reduce_column" : "broadcast_column";
      case Among::row:
        return reduces ? "reduce_row" : "broadcast_row";
      case Among::beam:
        break;
    }
    return reduces ? "reduce" : "broadcast";
  }
  const exchange::PhaseSetting& setting(const Settings& settings) const {
    switch (among) {
      case Among::column:
        return reduces ? settings.reduce_column : settings.broadcast_column;
      case Among::row:
        return reduces ? settings.reduce_row : settings.broadcast_row;
      case Among::beam:
        break;
    }
    return reduces ? settings.reduce : settings.broadcast;
  }
  exchange::Channel channel() const { return reduces ? channels::reduce : channels::broadcast; }
  // Whether all members see messages of the same sizes: the processes of a column have shares of
  // the same slices.
  bool uniform() const { return among == Among::column; }
};

}  // namespace phasewise::collision
