// The workload `spacecharge`: its phases, and how the driver plans and starts it.
#include "workload/workload.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spacecharge/phases.hpp"
#include "spacecharge/run.hpp"
#include "workload/entry.hpp"

namespace phasewise::spacecharge {
namespace {

using workload::Phase;

class SpaceCharge : public workload::Workload {
 public:
  SpaceCharge(const workload::Parameters& parameters, workload::Nodes nodes)
      : Workload(std::move(nodes)), description_(parameters), ranks_(this->nodes().size()) {
    std::iota(ranks_.begin(), ranks_.end(), 0);
  }
  // Plans it as a guest in a composite.
  SpaceCharge(const workload::Parameters& parameters, workload::Nodes nodes,
              const workload::Host& host)
      : Workload(std::move(nodes)),
        description_(parameters, host.number, true),
        ranks_(host.team->ranks) {}

  std::vector<Phase> phases() const override {
    // Received data are read, and either added to a value or stored.
    constexpr double added = 3.0, stored = 2.0;
    const std::string among = description_.guest ? "beam" : "all";
    std::vector<Phase> result;
    const auto add = [&](std::string_view name, const char* pattern, double moved = 0.0) {
      result.push_back({std::string(name), pattern, among, {}, moved});
    };
    const bool box = description_.kind == Kind::box, mesh = description_.has_mesh();
    if (box) add(phases::green, "transpose", stored);
    if (mesh && !description_.half_width) add(phases::extent, "sum");
    if (mesh) add(phases::charge_global, "reduce", added);
    if (box) add(phases::potential, "transpose", stored);
    if (mesh) add(phases::field_global, "broadcast", stored);
    add(phases::moments, "sum");
    add(phases::losses, "sum");
    return result;
  }
  std::vector<workload::Piece> pieces() const override { return pieces_of(description_); }
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override {
    return std::make_unique<Turn>(description_, nodes(),
                                  std::make_shared<comm::Team>(comm::Team{ranks_, rank}), false, 1);
  }
  std::vector<std::vector<int>> process_grid() const override { return {division().shape()}; }
  std::vector<workload::Load> loads() const override;
  std::vector<int> typical_ranks() const override;
  std::vector<workload::SharedBunch> bunches() const override {
    return {{description_.bunch.number, ranks_}};
  }
  std::vector<workload::Value> blank_record() const override {
    PassageRecord record;
    record.monitors.resize(description_.monitors);
    return record.values(description_.bunch.number);
  }

 private:
  Division division() const { return {description_.settings.decomposition, ranks()}; }

  Description description_;
  std::vector<int> ranks_;  // among all
};

// The largest share of n, over the mean share.
double load(double n, double ranks) { return std::ceil(n / ranks) * ranks / n; }

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

}  // namespace

workload::Entry entry() { return workload::entry_for_guest<SpaceCharge, Run>(); }

}  // namespace phasewise::spacecharge
