#include "ocean/workload.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "ocean/limits.hpp"
#include "ocean/phases.hpp"
#include "ocean/run.hpp"
#include "workload/entry.hpp"

namespace phasewise::ocean {
namespace {

// Made once for all ranks of a process that have the same study.
std::shared_ptr<const Layout> shared_layout(const std::shared_ptr<const SeaFloor>& floor,
                                            const LayoutSetting& setting, int ranks) {
  using Key = std::tuple<std::shared_ptr<const SeaFloor>, std::array<int, 2>, std::array<int, 2>,
                         Distribution, std::array<int, 2>, int>;
  Key key{floor, setting.process_grid, setting.blocks, setting.distribution, setting.tile, ranks};
  static std::mutex mutex;
  static std::pair<Key, std::shared_ptr<const Layout>> last;
  const std::lock_guard lock(mutex);
  if (last.second == nullptr || last.first != key) {
    auto made = std::make_shared<const Layout>(floor->mask(), setting, ranks);
    last = {std::move(key), std::move(made)};
  }
  return last.second;
}

// Throws before the sea is made.
const Description& checked(const Description& description) {
  check_timestep(description, Grid(description.grid));
  check_evp_block(description);
  return description;
}

}  // namespace

Ocean::Ocean(const workload::Parameters& parameters, workload::Nodes given)
    : Workload(std::move(given)),
      description_(parameters),
      grid_(checked(description_).grid),
      floor_(SeaFloor::shared(grid_, description_.mask)),
      layout_(shared_layout(floor_, description_.manner.layout, ranks())) {}

bool Ocean::cartesian() const {
  return description_.manner.layout.distribution == Distribution::cartesian;
}

std::vector<workload::Phase> Ocean::phases() const {
  std::vector<workload::Phase> found{
      workload::main_phase(phases::baroclinic_boundary, "halo", "all", "#2a9d8f")};
  if (description_.baroclinic)
    found.push_back(workload::main_phase(phases::tracer_boundary, "halo", "all", "#8ab17d"));
  found.push_back(workload::main_phase(phases::barotropic_boundary, "halo", "all", "#9b59b6"));
  found.push_back(workload::main_phase(phases::solver_halo, "halo", "all", "#f08a24"));
  found.push_back(workload::main_phase(phases::solver_sum, "sum", "all", "#d6336c"));
  found.push_back({std::string(phases::measures), "sum", "all"});
  found.push_back({std::string(phases::extremes), "maximum", "all"});
  return found;
}

std::unique_ptr<workload::RankTurn> Ocean::turn_of(int rank) const {
  return std::make_unique<Turn>(sea(), exchange::team_of_all(ranks(), rank, nodes()),
                                workload::Contents::none, 1);
}

std::vector<std::vector<int>> Ocean::process_grid() const {
  if (!cartesian()) return Workload::process_grid();
  return {{layout_->process_grid()[0], layout_->process_grid()[1]}};
}

std::vector<int> Ocean::place(int rank) const {
  if (!cartesian()) return Workload::place(rank);
  const int columns = layout_->process_grid()[0];
  return {rank % columns, rank / columns};
}

std::string Ocean::layout() const {
  constexpr std::array<const char*, 3> names{"cartesian", "balanced", "curve"};
  return names[static_cast<std::size_t>(description_.manner.layout.distribution)];
}

std::vector<std::string> Ocean::exchange_keys() const {
  return {"boundary",   "aggregate",           "solver_halo",
          "solver_sum", "solver_sum_protocol", "iterations_per_exchange"};
}

std::vector<exchange::TeamOfDivision> Ocean::teams(const exchange::TeamPointer& all) const {
  return {{all, 0}};
}

std::vector<workload::Load> Ocean::loads() const {
  std::int64_t most = 0;
  for (int rank = 0; rank < ranks(); ++rank) most = std::max(most, layout_->sea_of(rank));
  return {{"columns", {static_cast<double>(most) * ranks() / static_cast<double>(layout_->sea())}}};
}

// Ranks with the longest sides of blocks send the most.
std::vector<int> Ocean::typical_ranks() const {
  constexpr int few = 64;
  std::vector<int> found(ranks());
  std::iota(found.begin(), found.end(), 0);
  if (ranks() <= few) return found;
  std::vector<std::int64_t> sides(ranks());
  for (std::size_t number = 0; number < layout_->blocks().size(); ++number) {
    const Block& block = layout_->blocks()[number];
    if (block.owner < 0) continue;
    for (const auto& [east, north, cells] :
         {std::tuple{1, 0, block.ny}, {-1, 0, block.ny}, {0, 1, block.nx}, {0, -1, block.nx}}) {
      const int other = layout_->neighbour(static_cast<int>(number), east, north);
      if (other < 0 || layout_->blocks()[other].owner == block.owner) continue;
      // A message costs as much as some hundred cells.
      sides[block.owner] += cells + 100;
    }
  }
  std::ranges::stable_sort(found, std::greater<>(), [&](int rank) { return sides[rank]; });
  found.resize(few);
  return found;
}

workload::Entry entry() { return workload::entry_for<Ocean, Run>(); }

}  // namespace phasewise::ocean
