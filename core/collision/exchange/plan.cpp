#include "collision/exchange/plan.hpp"

#include "collision/exchange/luminosity_exchange.hpp"

namespace phasewise::collision {

int CollisionPlan::grids_to_solve(const Step& step, const Pairs& pairs) const {
  const auto of_columns = dealt(basis_, step, pairs, basis_.own, basis_.shape_of(basis_.own).prow);
  return static_cast<int>(of_columns[division().column()].size());
}

int CollisionPlan::room() const {
  return most_pairs(basis_.shape.slices) + (basis_.padded() ? basis_.shape_of(basis_.own).prow : 0);
}

const exchange::Exchanges& CollisionPlan::reduce(const Step& step, const Pairs& pairs) const {
  const auto [found, made] = reduce_.try_emplace({shared(), step.k, pairs});
  if (made) found->second = reduce_exchanges(basis_, step, pairs);
  return found->second;
}

const Broadcast& CollisionPlan::broadcast(const Step& step, const Pairs& pairs) const {
  const auto [found, made] = broadcast_.try_emplace({shared(), step.k, pairs});
  if (made) found->second = broadcast_exchanges(basis_, step, pairs);
  return found->second;
}

exchange::ExchangePointer CollisionPlan::luminosity(const Step& step,
                                                    const std::vector<int>& shift) const {
  Luminosity& kept = luminosity_[step.k];
  if (!kept.exchange || kept.shift != shift)
    kept = {shift, luminosity_exchange(basis_, step, shift)};
  return kept.exchange;
}

}  // namespace phasewise::collision
