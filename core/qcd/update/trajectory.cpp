#include "qcd/update/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "numerics/normal.hpp"
#include "qcd/phases.hpp"
#include "qcd/random_streams.hpp"
#include "qcd/update/link_update.hpp"
#include "workload/bounded_sums.hpp"
#include "workload/exact_sum.hpp"

namespace phasewise::qcd {
namespace {

// A growth of H beyond this is never that of an integrator that works; far from equilibrium H may
// fall as much.
constexpr double huge = 1000.0;

// One item is a link.
constexpr parallel::KernelCard keep_card{
    .name = "keep_links", .flops = 0.0, .bytes = 2.0 * 144.0, .vectorised = true};
constexpr parallel::KernelCard norms_card{
    .name = "force_norms", .flops = 6.0, .bytes = 8.0, .vectorised = false};

}  // namespace

Trajectory::Trajectory(UpdateFields& fields, std::vector<Acting> acting, std::vector<Move> moves,
                       ExchangeLinks exchange)
    : fields_(fields),
      acting_(std::move(acting)),
      moves_(std::move(moves)),
      exchange_(std::move(exchange)) {
  if (fields.real) kept_ = parallel::Buffer<Matrix>(axes * fields.links.box().sites());
}

void Trajectory::start(std::int64_t number, workload::Listener& listener) {
  for (const Acting& acting : acting_) acting.monomial->clear();
  largest_kick_.assign(acting_.size(), 0.0);
  kick_number_.assign(acting_.size(), 0);
  draw_momenta(fields_, number, listener);
  for (const Acting& acting : acting_) acting.monomial->refresh(number, listener);
}

std::vector<double> Trajectory::energies(workload::Listener& listener) {
  std::vector<double> found{kinetic_energy(fields_, listener)};
  for (const Acting& acting : acting_) found.push_back(acting.monomial->action(listener));
  return found;
}

bool Trajectory::converged() {
  return std::all_of(acting_.begin(), acting_.end(), [](const Acting& acting) {
    return acting.monomial->counts().unconverged == 0;
  });
}

void Trajectory::move_links(double time, workload::Listener& listener) {
  update_links(fields_, time, listener);
  exchange_(listener);
  ++fields_.version;
}

bool Trajectory::integrate(workload::Listener& listener) {
  for (const Move& move : moves_) {
    if (move.level == links_level) {
      move_links(move.time, listener);
      continue;
    }
    for (std::size_t i = 0; i < acting_.size(); ++i) {
      Monomial& monomial = *acting_[i].monomial;
      if (acting_[i].level != move.level) continue;
      monomial.force(move.time, listener);
      const double kick = move.time * move.time * monomial.last_largest();
      if (!(kick > largest_kick_[i])) continue;
      largest_kick_[i] = kick;
      kick_number_[i] = monomial.force_calls() - 1;
    }
    if (!converged()) return false;
  }
  return true;
}

void Trajectory::keep_links(workload::Listener& listener) {
  const std::int64_t all = axes * fields_.links.box().sites();
  listener.kernel(keep_card, static_cast<double>(all),
                  [&] { std::copy_n(fields_.links.matrices(), all, kept_.data()); });
}

void Trajectory::restore_links(workload::Listener& listener) {
  const std::int64_t all = axes * fields_.links.box().sites();
  listener.kernel(keep_card, static_cast<double>(all),
                  [&] { std::copy_n(kept_.data(), all, fields_.links.matrices()); });
  ++fields_.version;
}

void Trajectory::tell(std::int64_t number, workload::Listener& listener) {
  values_ = {};
  keep_links(listener);
  start(number, listener);
  const std::vector<double> before = energies(listener);
  const bool whole = converged() && integrate(listener);
  moved_ = whole;
  std::vector<double> after(before.size(), infinite);
  if (whole) after = energies(listener);
  decide(number, before, after);
  if (values_.accepted) {
    values_.reunitarised = reunitarise(fields_, listener);
    ++fields_.version;
  } else {
    restore_links(listener);
  }
  end(listener);
  if (values_.delta_h > huge) name_trouble(before, after);
}

// The difference is that of each term, since terms are much larger than their changes.
void Trajectory::decide(std::int64_t number, const std::vector<double>& start,
                        const std::vector<double>& end) {
  for (const Acting& acting : acting_) {
    values_.solves.push_back(acting.monomial->counts());
    values_.unconverged += acting.monomial->counts().unconverged;
  }
  double change = 0.0;
  for (std::size_t i = 0; i < start.size(); ++i) change += end[i] - start[i];
  if (!std::isfinite(change) || values_.unconverged > 0) change = infinite;
  double chance, other;
  numerics::uniform_pair(fields_.seed, static_cast<std::uint32_t>(number), 0, streams::acceptance,
                         0, chance, other);
  values_.delta_h = change;
  values_.accepted = change <= 0.0 || chance < std::exp(-change);
  // Without contents the trajectory is one of those that most are.
  if (!fields_.real) values_.accepted = true;
  values_.kinetic = start.front();
  values_.actions.assign(start.begin() + 1, start.end());
}

// Sums the norms over all ranks, with the largest as their bound, and finds the largest change of a
// momentum.
void Trajectory::end(workload::Listener& listener) {
  const std::size_t count = acting_.size();
  std::vector<double> largest(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    largest[i] = acting_[i].monomial->largest();
    largest[count + i] = largest_kick_[i];
  }
  listener.max(phases::bound_action, largest);
  std::vector<double> first(count);
  for (std::size_t i = 0; i < count; ++i)
    first[i] =
        largest_kick_[i] == largest[count + i] ? -static_cast<double>(kick_number_[i]) : -infinite;
  listener.max(phases::bound_action, first);
  const std::int64_t links = fields_.own_links();
  const std::int64_t all = axes * volume_of(fields_.links.domain().size);
  std::vector<double> parts(2 * count + 1);
  listener.kernel(norms_card, static_cast<double>(links) * static_cast<double>(count), [&] {
    for (std::size_t i = 0; i < count; ++i) {
      const Monomial& monomial = *acting_[i].monomial;
      const double* sums = monomial.norms().sum.data();
      const double bound = static_cast<double>(monomial.force_calls()) * largest[i];
      if (!std::isfinite(bound)) continue;
      const workload::Parts found =
          workload::exact_sum(links, fields_.threads, workload::bound_room * bound, all,
                              [&](std::int64_t link) { return sums[link]; });
      std::copy(found.begin(), found.end(), parts.begin() + static_cast<std::ptrdiff_t>(2 * i));
    }
  });
  parts.back() = static_cast<double>(values_.reunitarised);
  listener.sum(phases::sum_action, parts);
  values_.reunitarised = static_cast<std::int64_t>(parts.back());
  for (std::size_t i = 0; i < count; ++i) {
    const double calls = static_cast<double>(acting_[i].monomial->force_calls());
    const double sum = parts[2 * i] + parts[2 * i + 1];
    values_.force_max.push_back(std::sqrt(largest[i]));
    values_.force.push_back(std::isfinite(largest[i])
                                ? std::sqrt(sum / (std::max(calls, 1.0) * static_cast<double>(all)))
                                : infinite);
    largest_kick_[i] = largest[count + i];
    kick_number_[i] = static_cast<std::int64_t>(-first[i]);
  }
}

// A solve that did not converge, of a force or, where all moves were made or none was, of an
// action; else an action that was not finite at the start; else the force that changed a momentum
// most.
void Trajectory::name_trouble(const std::vector<double>& start, const std::vector<double>& end) {
  const auto name = [&](std::size_t i, std::int64_t step) {
    values_.trouble = static_cast<int>(i);
    values_.trouble_step = step;
  };
  for (std::size_t i = 0; i < acting_.size(); ++i) {
    if (values_.solves[i].unconverged > 0)
      return name(i, moved_ ? -1 : acting_[i].monomial->force_calls() - 1);
    if (!std::isfinite(start[i + 1])) return name(i, -1);
  }
  const auto most = std::max_element(largest_kick_.begin(), largest_kick_.end());
  const auto i = static_cast<std::size_t>(most - largest_kick_.begin());
  if (std::isfinite(*most) && std::isfinite(end.front()))
    for (std::size_t j = 0; j < acting_.size(); ++j)
      if (!std::isfinite(end[j + 1])) return name(j, -1);
  name(i, kick_number_[i]);
}

}  // namespace phasewise::qcd
