#include "qcd/update/quark/quark_monomial.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "qcd/random_streams.hpp"

namespace phasewise::qcd {

QuarkMonomial::QuarkMonomial(UpdateFields& fields, QuarkSystem& system, QuarkTerm term)
    : Monomial(fields), system_(system), term_(std::move(term)), phi_(system.field()) {}

void QuarkMonomial::draw(int vector, std::int64_t trajectory, Field<double>& to,
                         workload::Listener& listener) {
  draw_spinors(fields_, system_.sites(), streams::pseudofermions(term_.number, vector), trajectory,
               to, listener);
}

// With X = M†M and η of variance 1, M†η + µη' has the covariance X + µ². For a ratio
//   φ = (X + µ₂²)⁻¹ [X η₁ + √(µ² + µ₂²) M†η₂ + µµ₂ η₃]
// has that of (X + µ²)/(X + µ₂²), since the bracket has (X + µ²)(X + µ₂²).
void QuarkMonomial::refresh(std::int64_t trajectory, workload::Listener& listener) {
  system_.take_links(listener);
  Dirac<double>& matrix = system_.matrix();
  Field<double>&first = system_.scratch(0), &second = system_.scratch(1);
  const double mu = term_.mass, heavier = term_.heavier.value_or(0.0);
  draw(0, trajectory, first, listener);
  if (term_.heavier) {
    matrix.apply(false, first, second, listener);
    draw(1, trajectory, first, listener);
    system_.combine(second, std::hypot(mu, heavier), first, first, listener);
  }
  Field<double>& drawn = term_.heavier ? system_.right() : phi_;
  matrix.apply(true, first, drawn, listener);
  const double last = term_.heavier ? mu * heavier : mu;
  if (last != 0.0) {
    draw(2, trajectory, first, listener);
    system_.combine(drawn, last, first, drawn, listener);
  }
  if (term_.heavier) {
    const double squared = system_.squared_length(drawn, listener);
    system_.solve({squared, heavier * heavier, term_.action_tolerance}, control_, counts_,
                  listener);
    system_.copy(system_.solution(), phi_, listener);
  }
  squared_ = system_.squared_length(phi_, listener);
}

bool QuarkMonomial::solve(double tolerance, workload::Listener& listener) {
  system_.take_links(listener);
  system_.copy(phi_, system_.right(), listener);
  return system_.solve({squared_, shift(), tolerance}, control_, counts_, listener);
}

double QuarkMonomial::action(workload::Listener& listener) {
  const bool solved = solve(term_.action_tolerance, listener);
  double found =
      quark_action(fields_, system_.lanes(), a(), b(), phi_, system_.solution(), listener);
  if (term_.determinant == QuarkSystem::Determinant::with)
    found += system_.determinant_action(listener);
  return solved ? found : std::numeric_limits<double>::infinity();
}

void QuarkMonomial::add_force(double step, workload::Listener& listener) {
  solve(term_.force_tolerance, listener);
  system_.move(b(), term_.determinant, step, norms_, listener);
}

void QuarkMonomial::tell_iteration(workload::Listener& listener) {
  system_.tell_iteration(shift(), listener);
}

void QuarkMonomial::tell_update(workload::Listener& listener) {
  system_.tell_update(shift(), listener);
}

}  // namespace phasewise::qcd
