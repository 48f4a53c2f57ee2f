#include "qcd/update/update.hpp"

#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "qcd/phases.hpp"
#include "qcd/update/gauge_monomial.hpp"
#include "qcd/update/link_update.hpp"

namespace phasewise::qcd {

Update::Update(const Description& description, const Position& position, Links& links,
               Trajectory::ExchangeLinks exchange, int threads, bool real)
    : setting_(description.update),
      fields_(position, links, description.seed, threads, lanes_of(description.manner), real),
      exchange_(std::move(exchange)) {
  if (setting_.method == UpdateMethod::heat_bath) {
    heat_bath_ = std::make_unique<HeatBath>(fields_, setting_.gauge.beta);
    return;
  }
  terms_ = terms_of(setting_);
  if (setting_.has_quarks()) {
    QuarkMonomials made = make_quark_monomials(description, setting_, fields_);
    quarks_ = std::move(made.system);
    monomials_ = std::move(made.monomials);
  }
  monomials_.push_back(std::make_unique<GaugeMonomial>(fields_, setting_.gauge));
  std::vector<Acting> acting;
  acting.reserve(terms_.size());
  for (std::size_t i = 0; i < terms_.size(); ++i)
    acting.push_back({monomials_[i].get(), terms_[i].level});
  trajectory_ = std::make_unique<Trajectory>(
      fields_, std::move(acting), schedule_of(setting_.integrator, setting_.length, setting_.steps),
      exchange_);
}

exchange::Exchanges Update::exchanges() const {
  if (heat_bath_) return heat_bath_->exchanges();
  exchange::Exchanges all = quarks_ ? quarks_->exchanges() : exchange::Exchanges{};
  for (const auto& monomial : monomials_) {
    const exchange::Exchanges own = monomial->exchanges();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

void Update::set_manner(const Manner& manner) {
  fields_.lanes = lanes_of(manner);
  if (quarks_) quarks_->set_manner(manner);
  for (const auto& monomial : monomials_) monomial->set_manner(manner);
}

void Update::set_control(const SolveControl& control) {
  for (const auto& monomial : monomials_) monomial->set_control(control);
}

Monomial& Update::monomial(std::string_view name) {
  for (const auto& monomial : monomials_)
    if (monomial->name() == name) return *monomial;
  throw std::invalid_argument("the action has no term '" + std::string(name) + "'");
}

void Update::tell(std::int64_t number, workload::Listener& listener) {
  if (heat_bath_) return tell_sweeps(number, listener);
  trajectory_->tell(number, listener);
  values_ = trajectory_->values();
}

void Update::tell_sweeps(std::int64_t number, workload::Listener& listener) {
  heat_bath_->sweep(Sweep::heat_bath, number, listener);
  for (int sweep = 0; sweep < setting_.over_relaxation; ++sweep)
    heat_bath_->sweep(Sweep::over_relaxation, number, listener);
  double mended = static_cast<double>(reunitarise(fields_, listener));
  listener.sum(phases::sum_action, std::span(&mended, 1));
  values_.reunitarised = static_cast<std::int64_t>(mended);
  // A sweep renews one plane of the halo.
  const bool two_planes = fields_.links.box().halo() > 1;
  if (two_planes) exchange_(listener);
  if (two_planes || mended > 0.0) ++fields_.version;
}

}  // namespace phasewise::qcd
