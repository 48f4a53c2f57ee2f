#include "hydro/exchanges.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "exchange/neighbour_exchange.hpp"
#include "hydro/batches.hpp"
#include "hydro/phases.hpp"

namespace phasewise::hydro {
namespace {

// The team of some ranks, which are members of a team.
exchange::TeamPointer team_among(const exchange::Team& all, const std::vector<int>& members) {
  exchange::Team team;
  for (const int member : members) {
    if (member == all.me) team.me = static_cast<int>(team.ranks.size());
    team.ranks.push_back(all.ranks[member]);
    if (!all.nodes.empty()) team.nodes.push_back(all.nodes[member]);
  }
  return std::make_shared<const exchange::Team>(std::move(team));
}

std::string_view phase_of(const Step& step) {
  return step.from < step.to ? phases::upwards[step.lower()] : phases::downwards[step.lower()];
}

// The regions of a part in each of the six arrays of a box.
std::vector<exchange::Region> regions_of(const Box& box, const Box& part) {
  const exchange::Region region = box.region_of(part);
  std::vector<exchange::Region> result(field::count, region);
  for (int f = 0; f < field::count; ++f)
    result[f].offset += f * box.zones() * static_cast<std::int64_t>(sizeof(double));
  return result;
}

}  // namespace

Exchanges::Exchanges(const Grid& grid, const Manner& manner, const workload::Nodes& nodes,
                     const exchange::TeamPointer& all)
    : manner_(manner),
      nodes_(nodes),
      division_(grid, manner, static_cast<int>(nodes.size())),
      all_(all) {
  for (int which = 0; which < 2; ++which)
    along_[which] = team_among(*all, division_.ranks_along(rank(), which));
}

std::vector<Step> Exchanges::steps(int from, int to) const {
  std::vector<Step> result;
  while (from != to) {
    const Step step{from, from < to ? from + 1 : from - 1};
    if (division_.side(step.lower()) > 1) result.push_back(step);
    from = step.to;
  }
  return result;
}

exchange::TransposeExchange Exchanges::transpose(const Step& step) const {
  const exchange::TeamPointer& team = along_[step.lower()];
  const Box mine_before = box(step.from), mine_after = box(step.to);
  auto from = std::make_shared<std::vector<exchange::Region>>();
  auto to = std::make_shared<std::vector<exchange::Region>>();
  const std::vector<int> members = division_.ranks_along(rank(), step.lower());
  for (const int member : members) {
    const Box before = division_.box(member, step.from), after = division_.box(member, step.to);
    from->push_back(mine_before.region_of(mine_before.shared_with(after)));
    to->push_back(mine_after.region_of(mine_after.shared_with(before)));
  }
  // The first member has the largest shares of both axes.
  const Box largest =
      division_.box(members[0], step.from).shared_with(division_.box(members[0], step.to));
  return {.phase = phase_of(step),
          .channel = channels::transpose,
          .team = team,
          .algorithm = manner_.transpose,
          .rounds = exchange::rounds_of(manner_.transpose, *team),
          .grids = field::count,
          .block = largest.zones() * static_cast<std::int64_t>(sizeof(double)),
          .from = from,
          .to = to,
          .equal_blocks = false};
}

exchange::Exchanges Exchanges::batched(const Step& step) const {
  // Rank 0 has the largest shares.
  const int most = Batches(division_.box(0, step.from), step.from, manner_.batch).count();
  exchange::Exchanges result;
  for (int number = 0; number < most; ++number) result.push_back(batch_exchange(step, number));
  return result;
}

// Each rank begins with the member after it, so that not all send to the same one.
exchange::ExchangePointer Exchanges::batch_exchange(const Step& step, int number) const {
  exchange::NeighbourExchange exchange(phase_of(step), channels::batches[number % 2],
                                       manner_.protocol, nodes_, rank());
  const std::vector<int> members = division_.ranks_along(rank(), step.lower());
  const int count = static_cast<int>(members.size()), me = division_.place(rank(), step.lower());
  const auto batch_of = [&](int member, Box& zones) {
    const Batches batches(division_.box(member, step.from), step.from, manner_.batch);
    if (number >= batches.count()) return false;
    zones = batches.zones_of(batches[number]);
    return true;
  };
  Box zones;
  const Box before = box(step.from), after = box(step.to);
  for (int ahead = 0; batch_of(rank(), zones) && ahead < count; ++ahead) {
    const int member = members[(me + ahead) % count];
    exchange.send(member, regions_of(before, zones.shared_with(division_.box(member, step.to))));
  }
  for (int behind = 0; behind < count; ++behind) {
    const int member = members[(me - behind + count) % count];
    if (batch_of(member, zones))
      exchange.receive(member, regions_of(after, zones.shared_with(after)));
  }
  return exchange.done();
}

std::vector<exchange::TeamOfDivision> Exchanges::teams() const {
  std::vector<exchange::TeamOfDivision> result{{all_, 0}};
  for (int which = 0; which < 2; ++which)
    if (division_.side(which) > 1 && division_.side(1 - which) > 1)
      result.push_back({along_[which], division_.place(rank(), 1 - which)});
  return result;
}

}  // namespace phasewise::hydro
