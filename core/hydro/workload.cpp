#include "hydro/workload.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "hydro/phases.hpp"
#include "hydro/run.hpp"
#include "workload/entry.hpp"

namespace phasewise::hydro {

Hydro::Hydro(const workload::Parameters& parameters, workload::Nodes given)
    : Workload(std::move(given)),
      description_(parameters),
      division_(description_.grid, description_.manner, static_cast<int>(nodes().size())) {}

// Slabs in three dimensions have x and y whole at once.
std::vector<workload::Phase> Hydro::phases() const {
  constexpr const char* colours[2][2] = {{"#9b59b6", "#d6336c"}, {"#f08a24", "#2a9d8f"}};
  const bool pencils = description_.manner.decomposition == Decomposition::pencils;
  std::vector<workload::Phase> result;
  for (int lower = 0; lower + 1 < description_.grid.dimensions(); ++lower) {
    if (description_.grid.dimensions() == 3 && !pencils && lower == 0) continue;
    const char* among = !pencils ? "all" : lower == 0 ? "first" : "second";
    result.push_back(
        workload::main_phase(phases::upwards[lower], "transpose", among, colours[lower][0]));
    result.push_back(
        workload::main_phase(phases::downwards[lower], "transpose", among, colours[lower][1]));
  }
  result.push_back({std::string(phases::courant), "maximum", "all"});
  result.push_back({std::string(phases::invariants), "sum", "all"});
  if (description_.solution) result.push_back({std::string(phases::norms), "sum", "all"});
  return result;
}

std::unique_ptr<workload::RankTurn> Hydro::turn_of(int rank) const {
  return std::make_unique<Turn>(description_, nodes(),
                                exchange::team_of_all(ranks(), rank, nodes()),
                                workload::Contents::none, 1);
}

std::vector<std::string> Hydro::exchange_keys() const {
  return {"transpose", "overlap", "protocol", "batch"};
}

std::vector<exchange::TeamOfDivision> Hydro::teams(const exchange::TeamPointer& all) const {
  return Exchanges(description_.grid, description_.manner, nodes(), all).teams();
}

// Rank 0 has the largest shares.
std::vector<workload::Load> Hydro::loads() const {
  const auto all = static_cast<double>(description_.grid.zones());
  double most = 0.0;
  for (int axis = 0; axis < description_.grid.dimensions(); ++axis)
    most = std::max(most, static_cast<double>(division_.box(0, axis).zones()) * ranks() / all);
  return {{"zones", {most}}};
}

// Where shares differ, a rank with fewer zones may send more of them.
std::vector<int> Hydro::typical_ranks() const {
  constexpr int few = 64;
  std::vector<int> result(std::min(ranks(), few));
  std::iota(result.begin(), result.end(), 0);
  if (ranks() > few) result.push_back(ranks() - 1);
  return result;
}

// Ranks whose boxes have the same sides.
std::vector<int> Hydro::alike() const {
  using Sides = std::array<std::int64_t, 9>;
  std::map<Sides, int> lowest;
  std::vector<int> result(nodes().size());
  for (int rank = 0; rank < ranks(); ++rank) {
    Sides sides{};
    for (int whole = 0; whole < description_.grid.dimensions(); ++whole)
      for (int axis = 0; axis < 3; ++axis)
        sides[3 * whole + axis] = division_.box(rank, whole).size(axis);
    result[rank] = lowest.try_emplace(sides, rank).first->second;
  }
  return result;
}

workload::Entry entry() { return workload::entry_for<Hydro, Run>(); }

}  // namespace phasewise::hydro
