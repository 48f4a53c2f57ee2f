#include "atmosphere/workload.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "atmosphere/phases.hpp"
#include "atmosphere/run.hpp"
#include "exchange/share.hpp"
#include "workload/entry.hpp"

namespace phasewise::atmosphere {

Atmosphere::Atmosphere(const workload::Parameters& parameters, workload::Nodes given)
    : Workload(std::move(given)),
      planet_(Description(parameters), nodes()),
      per_(std::to_string(planned_timesteps(planet_.description())) + " timesteps"),
      schedules_(std::make_unique<Schedules>(planet_, static_cast<std::size_t>(pieces::most))) {}

std::vector<workload::Phase> Atmosphere::phases() const {
  return {workload::main_phase(phases::columns_out, "redistribution", "all", "#f08a24"),
          workload::main_phase(phases::columns_back, "redistribution", "all", "#2a9d8f"),
          {std::string(phases::costs), "gather", "all"},
          {std::string(phases::measures), "sum", "all"}};
}

// A timestep is one of the pieces, so that each counts as its share of the mean timestep.
std::vector<workload::Piece> Atmosphere::pieces() const {
  const std::int64_t count = planned_timesteps(planet_.description());
  std::vector<workload::Piece> result;
  result.reserve(static_cast<std::size_t>(count));
  for (int index = 0; index < count; ++index)
    result.push_back({.name = pieces::sun,
                      .kind = workload::Piece::Kind::data_dependent,
                      .per = per_,
                      .index = index,
                      .expected = 1.0 / static_cast<double>(count),
                      .first = 1.0 / static_cast<double>(count)});
  return result;
}

std::unique_ptr<workload::RankTurn> Atmosphere::turn_of(int rank) const {
  return std::make_unique<Turn>(*schedules_, exchange::team_of_all(ranks(), rank, nodes()),
                                workload::Contents::none, 1);
}

std::vector<std::string> Atmosphere::exchange_keys() const {
  return {"balance", "exchange", "columns", "chunk"};
}

// The library's all-to-all is among all ranks.
std::vector<exchange::TeamOfDivision> Atmosphere::teams(const exchange::TeamPointer& all) const {
  return {{all, 0}};
}

SchedulePointer Atmosphere::planned(std::int64_t piece) const {
  const Description& description = planet_.description();
  return schedules_->at(description.manner,
                        timestep_of_piece(description, static_cast<int>(piece)));
}

std::vector<workload::Load> Atmosphere::loads() const {
  constexpr std::int64_t most_values = 24;
  const std::int64_t count = planned_timesteps(planet_.description());
  const auto stretches = static_cast<int>(std::min(count, most_values));
  workload::Load before{"load_before", {}}, after{"load_after", {}};
  for (int stretch = 0; stretch < stretches; ++stretch) {
    const auto [first, last] = exchange::share<std::int64_t>(count, stretches, stretch);
    double sums[2] = {0.0, 0.0};
    for (std::int64_t piece = first; piece < last; ++piece) {
      const SchedulePointer schedule = planned(piece);
      sums[0] += schedule->load_before();
      sums[1] += schedule->load_after();
    }
    before.values.push_back(sums[0] / static_cast<double>(last - first));
    after.values.push_back(sums[1] / static_cast<double>(last - first));
  }
  return {before, after};
}

// The ranks that send the most messages out or back; among several, the one of the most columns.
std::vector<int> Atmosphere::typical_ranks() const {
  constexpr int few = 64;
  std::vector<int> result(static_cast<std::size_t>(std::min(ranks(), few)));
  std::iota(result.begin(), result.end(), 0);
  if (ranks() <= few) return result;
  using Sent = std::pair<std::int64_t, std::int64_t>;
  std::vector<Sent> out(nodes().size()), back(nodes().size());
  for (std::int64_t piece = 0; piece < planned_timesteps(planet_.description()); ++piece) {
    const SchedulePointer schedule = planned(piece);
    for (int rank = 0; rank < ranks(); ++rank)
      for (const Shipment& shipment : schedule->from(rank)) {
        ++out[rank].first;
        out[rank].second += shipment.count;
        ++back[shipment.to].first;
        back[shipment.to].second += shipment.count;
      }
  }
  result = {0};
  for (const std::vector<Sent>* sent : {&out, &back})
    result.push_back(static_cast<int>(std::ranges::max_element(*sent) - sent->begin()));
  std::ranges::sort(result);
  result.erase(std::ranges::unique(result).begin(), result.end());
  return result;
}

// Ranks that compute as many columns by day and by night in every timestep, or the same seconds.
std::vector<int> Atmosphere::alike() const {
  std::vector<std::vector<double>> items(nodes().size());
  for (std::int64_t piece = 0; piece < planned_timesteps(planet_.description()); ++piece) {
    const SchedulePointer schedule = planned(piece);
    for (int rank = 0; rank < ranks(); ++rank) {
      const Schedule::Share& share = schedule->share(rank);
      std::int64_t gone = 0;  // that the library's all-to-all needs packed
      if (planet_.description().manner.moves == MoveBy::alltoallw)
        for (const Shipment& shipment : schedule->from(rank)) gone += shipment.count;
      items[rank].push_back(planet_.by_sun() ? static_cast<double>(share.lit) : share.cost);
      items[rank].push_back(static_cast<double>(share.columns));
      items[rank].push_back(static_cast<double>(gone));
    }
  }
  std::map<std::vector<double>, int> lowest;
  std::vector<int> result;
  for (int rank = 0; rank < ranks(); ++rank) {
    items[rank].push_back(static_cast<double>(planet_.layout().columns(rank).size()));
    result.push_back(lowest.try_emplace(std::move(items[rank]), rank).first->second);
  }
  return result;
}

workload::Entry entry() { return workload::entry_for<Atmosphere, Run>(); }

}  // namespace phasewise::atmosphere
