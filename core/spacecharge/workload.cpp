#include "spacecharge/workload.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "spacecharge/first_meshes.hpp"
#include "spacecharge/phases.hpp"
#include "spacecharge/run.hpp"
#include "workload/entry.hpp"

namespace phasewise::spacecharge {
namespace {

using workload::Phase;

// The largest share of n, over the mean share.
double load(double n, double ranks) { return std::ceil(n / ranks) * ranks / n; }

}  // namespace

SpaceCharge::SpaceCharge(const workload::Parameters& parameters, workload::Nodes nodes)
    : Workload(std::move(nodes)), description_(parameters), ranks_(this->nodes().size()) {
  std::iota(ranks_.begin(), ranks_.end(), 0);
}

SpaceCharge::SpaceCharge(const workload::Parameters& parameters, workload::Nodes nodes,
                         const workload::Host& host)
    : Workload(std::move(nodes)),
      description_(parameters, host.number, true),
      ranks_(host.team->ranks) {}

std::vector<Phase> SpaceCharge::phases() const {
  const char* const among = description_.guest ? "beam" : "all";
  std::vector<Phase> result;
  const auto add_main = [&](std::string_view name, const char* pattern, const char* colour) {
    result.push_back(workload::main_phase(name, pattern, among, colour));
  };
  const auto add_sum = [&](std::string_view name) {
    result.push_back({std::string(name), "sum", among});
  };
  const bool box = description_.kind == Kind::box, mesh = description_.has_mesh();
  if (box) add_main(phases::green, "transpose", "#8a5a2b");
  if (mesh && !description_.half_width) add_sum(phases::extent);
  if (mesh) add_main(phases::charge_global, "reduce", "#f08a24");
  if (box) add_main(phases::potential, "transpose", "#9b59b6");
  if (mesh) add_main(phases::field_global, "broadcast", "#d6336c");
  add_sum(phases::moments);
  add_sum(phases::losses);
  if (description_.tracked > 0) add_sum(phases::tracked);
  return result;
}

std::unique_ptr<workload::RankTurn> SpaceCharge::turn_of(int rank) const {
  return std::make_unique<Turn>(description_, nodes(),
                                std::make_shared<exchange::Team>(exchange::Team{ranks_, rank}),
                                &first_meshes(), 1);
}

const std::vector<bool>& SpaceCharge::first_meshes() const {
  if (!first_meshes_) first_meshes_ = spacecharge::first_meshes(description_);
  return *first_meshes_;
}

std::vector<int> SpaceCharge::place(int rank) const {
  if (!division().divides_planes()) return {rank};
  return {division().place_along(rank), division().place_across(rank)};
}

std::vector<exchange::TeamOfDivision> SpaceCharge::teams(const exchange::TeamPointer& all) const {
  const field::DoubledBox grid(description_.grid, description_.period.has_value());
  return Exchanges(grid, description_.settings, nodes(), all).teams();
}

std::vector<workload::Load> SpaceCharge::loads() const {
  const auto particles = static_cast<double>(description_.bunch.macroparticles);
  std::vector<workload::Load> result{{"particles", {load(particles, ranks())}}};
  if (description_.has_mesh())
    result.push_back({"grid",
                      {load(description_.grid[2], division().along()) *
                       load(description_.grid[0], division().across())}});
  return result;
}

// The first shares are the largest; with a hypercube or with nodes, another rank may send more.
std::vector<int> SpaceCharge::typical_ranks() const {
  constexpr int few = 64;
  std::vector<int> result(std::min(ranks(), few));
  std::iota(result.begin(), result.end(), 0);
  if (ranks() > few) result.push_back(ranks() - 1);
  return result;
}

std::vector<workload::Value> SpaceCharge::blank_record() const {
  PassageRecord record;
  record.monitors.resize(description_.monitors);
  record.stopped.resize(description_.apertures);
  record.tracked.resize(6 * static_cast<std::size_t>(description_.tracked));
  return record.values(description_.bunch.number);
}

workload::Entry entry() { return workload::entry_for_guest<SpaceCharge, Run>(); }

}  // namespace phasewise::spacecharge
