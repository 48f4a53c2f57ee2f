#include "collision/exchange/phases.hpp"

#include <memory>

#include "collision/exchange/crossing.hpp"
#include "collision/exchange/phase_kind.hpp"

namespace phasewise::collision {
namespace {

// Appends a phase among the ranks of this rank's beam, unless its team has only one member.
void append_phase(exchange::Exchanges& to, const PlanBasis& basis, const PhaseKind& kind,
                  const Step& step, const Pairs& pairs, int slices_of) {
  const Member& member = basis.member(kind.among);
  if (member.team->ranks.size() == 1) return;
  const exchange::PhaseSetting& setting = kind.setting(basis.settings);
  for (const Pairs& together : messages(pairs, setting.aggregate)) {
    Blocks blocks = blocks_of(basis, kind.among, basis.own, step, together, slices_of);
    to.push_back(std::make_shared<exchange::Exchange>(
        exchange::Exchange{.phase = kind.name(),
                           .channel = kind.channel(),
                           .adds = kind.reduces,
                           .uniform = kind.uniform(),
                           .team = member.team,
                           .rounds = kind.reduces ? member.reduce : member.broadcast,
                           .form = setting.form,
                           .items = std::move(blocks.items),
                           .blocks = std::move(blocks.blocks)}));
  }
}

}  // namespace

exchange::Exchanges reduce_exchanges(const PlanBasis& basis, const Step& step, const Pairs& pairs) {
  exchange::Exchanges result;
  if (!basis.division.grid.divided()) return result;
  const auto append = [&](Among among) {
    append_phase(result, basis, {among, true}, step, pairs, basis.own);
  };
  if (basis.settings.reduce_at_once) {
    append(Among::beam);
  } else {
    append(Among::column);
    append(Among::row);
  }
  return result;
}

Broadcast broadcast_exchanges(const PlanBasis& basis, const Step& step, const Pairs& pairs) {
  Broadcast result;
  if (!basis.division.grid.divided()) return result;
  const Settings& settings = basis.settings;
  // If every rank sends directly to all ranks of the other beam that need its data, these need not
  // share the data.
  const auto cross = [&](Among among, bool straight) {
    const PhaseKind kind{among, false};
    if (straight && kind.setting(settings).algorithm == exchange::Algorithm::direct) {
      result.crossing = straight_crossings(basis, kind, step, pairs);
    } else {
      result.crossing = mirror_crossings(basis, kind, step, pairs);
      append_phase(result.other, basis, kind, step, pairs, basis.other);
    }
  };
  const bool same = basis.same_shapes();
  if (settings.broadcast_at_once) {
    cross(Among::beam, true);
  } else if (settings.crossing_in_row) {
    cross(Among::row, same);
    append_phase(result.other, basis, {Among::column, false}, step, pairs, basis.other);
  } else {
    append_phase(result.own, basis, {Among::row, false}, step, pairs, basis.own);
    cross(Among::column, same);
  }
  return result;
}

}  // namespace phasewise::collision
