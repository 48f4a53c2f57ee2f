// What a passage measured, as a run records it.
#include <array>
#include <string>
#include <utility>

#include "spacecharge/turn.hpp"

namespace phasewise::spacecharge {
namespace {

using workload::Value;

void append(std::vector<double>& to, const beam::Moments& m) {
  for (const auto& row : m.covariance) to.insert(to.end(), row.begin(), row.end());
}

Value number(std::string name, double value) { return {std::move(name), {}, {value}}; }

}  // namespace

std::vector<Value> PassageRecord::values(int beam) const {
  const std::string of = "beam" + std::to_string(beam) + "/";
  const auto emittance = beam::emittances(moments);
  std::vector<double> covariance, means, squares;
  append(covariance, moments);
  for (const beam::Moments& at : monitors) {
    means.insert(means.end(), at.mean.begin(), at.mean.end());
    append(squares, at);
  }
  std::vector<Value> result{{of + "mean", {6}, {moments.mean.begin(), moments.mean.end()}},
                            {of + "covariance", {6, 6}, std::move(covariance)},
                            {of + "emittance", {3}, {emittance.begin(), emittance.end()}},
                            number(of + "particles", moments.particles),
                            number(of + "losses", static_cast<double>(losses)),
                            number(of + "outside", static_cast<double>(outside))};
  if (const std::size_t count = monitors.size(); count > 0) {
    result.push_back({of + "monitor_mean", {count, 6}, std::move(means)});
    result.push_back({of + "monitor_covariance", {count, 6, 6}, std::move(squares)});
  }
  if (!stopped.empty())
    result.push_back({of + "losses_at", {stopped.size()}, {stopped.begin(), stopped.end()}});
  if (!tracked.empty()) result.push_back({of + "tracked", {tracked.size() / 6, 6}, tracked});
  return result;
}

}  // namespace phasewise::spacecharge
