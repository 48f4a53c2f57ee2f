#include "qcd/solver/even_solver.hpp"

#include <algorithm>
#include <cmath>

#include "qcd/dirac/lane_pairs.hpp"
#include "qcd/phases.hpp"
#include "workload/bounded_sums.hpp"

namespace phasewise::qcd {
namespace {

using workload::Listener;

// The residual is recomputed once it has fallen by this factor: single precision has seven digits.
constexpr double reliable_fall = 0.05;

// One item is a site of one parity; a spinor has 24 reals, 192 B.
constexpr parallel::KernelCard combine_card{
    .name = "combine", .flops = 48.0, .bytes = 3.0 * 192.0, .vectorised = true};
constexpr parallel::KernelCard even_norm_card{
    .name = "norm", .flops = 48.0, .bytes = 192.0, .vectorised = true};
constexpr parallel::KernelCard convert_card{
    .name = "convert", .flops = 0.0, .bytes = 192.0 + 96.0, .vectorised = true};

}  // namespace

EvenSolver::EvenSolver(const Description& description, Method method, const Position& position,
                       int threads, bool real)
    : method_(method),
      precision_(description.precision),
      sums_(description.manner.sums),
      threads_(threads),
      matrix_(position, description.action, description.manner, threads, real) {
  if (precision_ == Precision::double_) {
    krylov_ = make_krylov(method, matrix_, sums_);
  } else {
    single_ = std::make_unique<Single>(
        Single{Dirac<float>(position, description.action, description.manner, threads, real), {}});
    single_->krylov = make_krylov(method, single_->matrix, sums_);
  }
  for (Field<double>* field : {&right_, &solution_, &residual_, &between_})
    *field = zeros<double>(matrix_.hopping().reals());
}

exchange::Exchanges EvenSolver::exchanges() const {
  exchange::Exchanges all = matrix_.hopping().exchanges();
  if (single_)
    for (const exchange::ExchangePointer& one : single_->matrix.hopping().exchanges())
      all.push_back(one);
  return all;
}

void EvenSolver::set_manner(const Manner& manner) {
  sums_ = manner.sums;
  matrix_.set_manner(manner);
  if (single_) single_->matrix.set_manner(manner, &matrix_);
  with_krylov([&](auto& krylov) { krylov.set_sums(manner.sums); });
}

void EvenSolver::set_links(const Hops& hops, Listener& listener) {
  matrix_.set_links(hops, listener);
  if (single_) single_->matrix.set_links(hops, listener, &matrix_);
}

void EvenSolver::combine(const Field<double>& a, double factor, const Field<double>& b,
                         Field<double>& result, Listener& listener) const {
  listener.kernel(combine_card, half_volume(), [&] {
    shape_of(matrix_.hopping(), threads_).combine(a.data(), factor, b.data(), result.data());
  });
}

void EvenSolver::copy(const Field<double>& from, Field<double>& to, Listener& listener) const {
  listener.kernel(combine_card, half_volume(),
                  [&] { shape_of(matrix_.hopping(), threads_).copy(from.data(), to.data()); });
}

double EvenSolver::norm_of(std::string_view phase, const Field<double>& field, double bound,
                           Listener& listener) const {
  const auto [value] = workload::bounded_sums<1>(
      phase, even_norm_card, half_volume(), {bound}, sums_, listener, [&](const Bounds<1>& most) {
        return shape_of(matrix_.hopping(), threads_).norm(field.data(), most);
      });
  return value;
}

double EvenSolver::precise_norm_of(std::string_view phase, const Field<double>& field, double bound,
                                   Listener& listener) const {
  const double first = norm_of(phase, field, bound, listener);
  const double lost = numerics::rounding_of(workload::bound_room * bound,
                                            volume_of(matrix_.hopping().domain().size));
  return norm_of(phase, field, first + lost, listener);
}

void EvenSolver::restart(const Field<double>& residual, double squared, bool again,
                         Listener& listener) {
  largest_ = squared;
  if (!single_) {
    copy(residual, krylov_->residual(), listener);
    return krylov_->start(squared, again, listener);
  }
  Krylov<float>& krylov = *single_->krylov;
  listener.kernel(convert_card, half_volume(), [&] {
    convert_data<spinor_reals>(matrix_.hopping().kernel(), residual.data(),
                               single_->matrix.hopping().kernel(), krylov.residual().data());
  });
  krylov.start(squared, again, listener);
}

void EvenSolver::set_shift(double shift) {
  shift_ = shift;
  with_krylov([&](auto& krylov) { krylov.set_shift(shift); });
}

void EvenSolver::begin(double squared, const SolveGoal& goal, double shift, Listener& listener) {
  goal_ = goal;
  set_shift(shift);
  iterations_ = 0;
  residuals_.clear();
  grown_ = 0.0;
  updated_ = false;
  if (solution_.size() > 0) shape_of(matrix_.hopping(), threads_).clear(solution_.data());
  squared_start_ = squared;
  squared_goal_ = goal.tolerance * goal.tolerance * squared_start_;
  restart(right_, squared_start_, false, listener);
}

void EvenSolver::iterate(Listener& listener) {
  with_krylov([&](auto& krylov) { krylov.iterate(listener); });
  updated_ = false;
  largest_ = std::max(largest_, squared());
  ++iterations_;
  residuals_.push_back(squared_start_ > 0.0 ? std::sqrt(squared() / squared_start_) : 0.0);
}

bool EvenSolver::wants_update() const {
  return precision_ == Precision::mixed &&
         squared() <= std::max(squared_goal_, reliable_fall * reliable_fall * largest_);
}

void EvenSolver::absorb(Listener& listener) {
  if (!single_) {
    combine(solution_, 1.0, krylov_->solution(), solution_, listener);
    grown_ += krylov_->grown();
    return;
  }
  Krylov<float>& krylov = *single_->krylov;
  listener.kernel(convert_card, half_volume(), [&] {
    convert_data<spinor_reals>(single_->matrix.hopping().kernel(), krylov.solution().data(),
                               matrix_.hopping().kernel(), between_.data());
  });
  combine(solution_, 1.0, between_, solution_, listener);
  grown_ += krylov.grown();
}

// Computes r = b - N x of the method's system.
void EvenSolver::update(Listener& listener) {
  absorb(listener);
  matrix_.apply(false, solution_, between_, listener);
  double factor = matrix_.largest();
  if (method_ == Method::cg) {
    matrix_.apply(true, between_, residual_, listener);
    factor = factor * factor + shift_;
  } else {
    copy(between_, residual_, listener);
  }
  combine(right_, -1.0, residual_, residual_, listener);
  if (shift_ != 0.0) combine(residual_, -shift_, solution_, residual_, listener);
  const double most = std::sqrt(squared_start_) + factor * grown_;
  const double squared = precise_norm_of(phases::sum_residual, residual_, most * most, listener);
  restart(residual_, squared, true, listener);
  updated_ = true;
}

bool EvenSolver::converged() const {
  const bool final = precision_ != Precision::mixed || updated_;
  return goal_.tolerance > 0.0 && final && squared() <= squared_goal_;
}

bool EvenSolver::done() const {
  return converged() || iterations_ >= goal_.iterations || !std::isfinite(squared());
}

}  // namespace phasewise::qcd
