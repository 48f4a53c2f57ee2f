#include "qcd/update/integrator.hpp"

#include <algorithm>
#include <cstddef>

namespace phasewise::qcd {
namespace {

// A step of an integrator: times of moves of the momenta, and of the links between them.
struct Step {
  std::vector<double> momenta, links;
};

// I. P. Omelyan, I. M. Mryglod, R. Folk, Comput. Phys. Commun. 151 (2003) 272; T. Takaishi, Ph. de
// Forcrand, hep-lat/0505020: of order 2, and of order 4 with five forces in the velocity version.
constexpr double lambda_2 = 0.19318332750378361;
constexpr double theta_4 = 0.08398315262876693, rho_4 = 0.2539785108410595,
                 lambda_4 = 0.6822365335719091, mu_4 = -0.03230286765269967;

Step step_of(Integrator integrator) {
  if (integrator == Integrator::leapfrog) return {{0.5, 0.5}, {1.0}};
  if (integrator == Integrator::omelyan_2)
    return {{lambda_2, 1.0 - 2.0 * lambda_2, lambda_2}, {0.5, 0.5}};
  const double middle = 0.5 - lambda_4 - theta_4;
  return {{theta_4, lambda_4, middle, middle, lambda_4, theta_4},
          {rho_4, mu_4, 1.0 - 2.0 * (mu_4 + rho_4), mu_4, rho_4}};
}

void append(const Step& step, double length, const std::vector<int>& steps, std::size_t level,
            std::vector<Move>& moves) {
  const double time = length / steps[level];
  for (int number = 0; number < steps[level]; ++number)
    for (std::size_t i = 0; i < step.momenta.size(); ++i) {
      moves.push_back({static_cast<int>(level), step.momenta[i] * time});
      if (i == step.links.size()) break;
      if (level + 1 < steps.size())
        append(step, step.links[i] * time, steps, level + 1, moves);
      else
        moves.push_back({links_level, step.links[i] * time});
    }
}

}  // namespace

std::vector<Move> schedule_of(Integrator integrator, double length, const std::vector<int>& steps) {
  std::vector<Move> all, merged;
  append(step_of(integrator), length, steps, 0, all);
  std::vector<double> times(steps.size(), 0.0);
  const auto move_momenta = [&] {
    for (std::size_t level = 0; level < times.size(); ++level)
      if (times[level] != 0.0) merged.push_back({static_cast<int>(level), times[level]});
    std::fill(times.begin(), times.end(), 0.0);
  };
  for (const Move& move : all) {
    if (move.level != links_level) {
      times[static_cast<std::size_t>(move.level)] += move.time;
      continue;
    }
    move_momenta();
    merged.push_back(move);
  }
  move_momenta();
  return merged;
}

std::vector<std::int64_t> force_counts(const std::vector<Move>& moves, int levels) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(levels));
  for (const Move& move : moves)
    if (move.level != links_level) ++counts[static_cast<std::size_t>(move.level)];
  return counts;
}

}  // namespace phasewise::qcd
