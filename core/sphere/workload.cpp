#include "sphere/workload.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "sphere/level_count.hpp"
#include "sphere/phases.hpp"
#include "sphere/run.hpp"
#include "workload/entry.hpp"

namespace phasewise::sphere {

void check_manner(const Description& description, int ranks) {
  if (description.manner.kernel == Kernel::fixed && !can_be_fixed(description.levels))
    throw std::invalid_argument(
        "communication.kernel = fixed is compiled for 1, 18, 66 and 96 levels, not for " +
        std::to_string(description.levels));
  const bool distributed = description.manner.distributed();
  const int latitudes = distributed ? description.groups : description.pairs();
  const int most = std::min(latitudes, description.truncation + 1);
  if (ranks <= most) return;
  throw std::invalid_argument(std::to_string(ranks) +
                              " ranks are too many: " + std::to_string(latitudes) +
                              (distributed ? " groups of latitudes" : " pairs of latitudes") +
                              " and " + std::to_string(description.truncation + 1) +
                              " wavenumbers are for at most " + std::to_string(most));
}

Sphere::Sphere(const workload::Parameters& parameters, workload::Nodes nodes)
    : Workload(std::move(nodes)), description_(parameters) {
  check_manner(description_, ranks());
}

Division Sphere::division() const {
  return {description_.truncation, description_.pairs(), description_.groups, ranks(),
          description_.manner.distributed()};
}

std::vector<workload::Phase> Sphere::phases() const {
  std::vector<workload::Phase> result;
  if (description_.manner.distributed()) {
    result.push_back(workload::main_phase(phases::sum, "reduce", "all", "#f08a24"));
    result.push_back(workload::main_phase(phases::share, "broadcast", "all", "#d6336c"));
  } else {
    result.push_back(workload::main_phase(phases::transpose, "transpose", "all", "#9b59b6"));
  }
  const auto add_sum = [&](std::string_view name) {
    result.push_back({std::string(name), "sum", "all"});
  };
  if (description_.manner.order_free) add_sum(phases::bound);
  add_sum(phases::invariants);
  if (description_.has_solution()) add_sum(phases::norms);
  if (!description_.stations.empty()) add_sum(phases::stations);
  return result;
}

std::unique_ptr<workload::RankTurn> Sphere::turn_of(int rank) const {
  return std::make_unique<Turn>(description_, nodes(),
                                exchange::team_of_all(ranks(), rank, nodes()),
                                workload::Contents::none, 1);
}

std::vector<std::string> Sphere::exchange_keys() const {
  return {"legendre", "transpose", "protocol", "blocks"};
}

std::vector<workload::Load> Sphere::loads() const {
  const Division divided = division();
  const auto unevenness = [&](auto&& of) {
    double most = 0.0, sum = 0.0;
    for (int rank = 0; rank < ranks(); ++rank) {
      const auto share = static_cast<double>(of(rank));
      most = std::max(most, share);
      sum += share;
    }
    return most * ranks() / sum;
  };
  return {
      {"latitudes", {unevenness([&](int rank) { return size_of(divided.pairs_of(rank)); })}},
      {"coefficients",
       {unevenness([&](int rank) { return divided.coefficients_of(divided.wavenumbers(rank)); })}}};
}

// The first shares are the largest; with a hypercube or with nodes another rank may send more.
std::vector<int> Sphere::typical_ranks() const {
  constexpr int few = 64;
  std::vector<int> result(std::min(ranks(), few));
  std::iota(result.begin(), result.end(), 0);
  if (ranks() > few) result.push_back(ranks() - 1);
  return result;
}

workload::Entry entry() { return workload::entry_for<Sphere, Run>(); }

}  // namespace phasewise::sphere
