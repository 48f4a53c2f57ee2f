#include "qcd/solver/solver.hpp"

#include <algorithm>
#include <cmath>

#include "qcd/dirac/link_factors.hpp"
#include "qcd/phases.hpp"
#include "workload/bounded_sums.hpp"
#include "workload/exact_sum.hpp"

namespace phasewise::qcd {
namespace {

using workload::Listener;

// The residual is recomputed once it has fallen by this factor: single precision has seven digits.
constexpr double reliable_fall = 0.05;

// One item is a site of one parity; a spinor has 24 reals, 192 B.
constexpr parallel::KernelCard combine_card{
    .name = "combine", .flops = 48.0, .bytes = 3.0 * 192.0, .vectorised = true};
constexpr parallel::KernelCard residual_card{
    .name = "norm", .flops = 48.0, .bytes = 192.0, .vectorised = true};
constexpr parallel::KernelCard convert_card{
    .name = "convert", .flops = 0.0, .bytes = 192.0 + 96.0, .vectorised = true};

}  // namespace

Solver::Solver(const Description& description, const Position& position, int threads, bool real)
    : description_(description),
      domain_(position.domain()),
      threads_(threads),
      real_(real),
      manner_(description.manner),
      matrix_(position, description.action, description.manner, threads, real) {
  const std::int64_t reals = matrix_.hopping().reals();
  if (description.precision == Precision::double_) {
    krylov_ = make_krylov(description.method, matrix_, manner_.sums);
  } else {
    single_ = std::make_unique<Single>(
        Single{Dirac<float>(position, description.action, description.manner, threads, real), {}});
    single_->krylov = make_krylov(description.method, single_->matrix, manner_.sums);
  }
  for (auto* pair : {&source_, &solution_})
    for (Field<double>& field : *pair) field = zeros<double>(reals);
  for (Field<double>* field : {&right_, &residual_, &between_}) *field = zeros<double>(reals);
}

exchange::Exchanges Solver::exchanges() const {
  exchange::Exchanges all = matrix_.hopping().exchanges();
  if (single_)
    for (const exchange::ExchangePointer& one : single_->matrix.hopping().exchanges())
      all.push_back(one);
  return all;
}

void Solver::set_manner(const Manner& manner) {
  manner_ = manner;
  matrix_.set_manner(manner);
  if (single_) single_->matrix.set_manner(manner);
  with_krylov([&](auto& krylov) { krylov.set_sums(manner.sums); });
}

// The links before a site may be another rank's; then they are in the halo.
void Solver::set_links(const Links& links, Listener& listener) {
  if (real_) {
    const Extents box = domain_.extents();
    const auto weights = description_.action.weights();
    links_.resize(static_cast<std::size_t>(domain_.volume() * site_link_doubles));
    before_.resize(links_.size());
    for_each_site(box, [&](const Extents& at) {
      for (int axis = 0; axis < axes; ++axis) {
        const std::int64_t place = site_of(box, at) * site_link_doubles + axis * link_doubles;
        Extents other = at;
        --other[axis];
        const int global = domain_.origin(axis) + at[axis], last = domain_.size[axis] - 1;
        const auto copy = [&](const Matrix& link, bool crosses, double* to) {
          multiply_link(boundary_factor(crosses ? description_.phases[axis] : 0.0), weights[axis],
                        reinterpret_cast<const double*>(&link), to);
        };
        copy(links.at(at, axis), global == last, links_.data() + place);
        copy(links.at(other, axis), global == 0, before_.data() + place);
      }
    });
  }
  Hops hops;
  if (real_)
    hops = {links_.data(), before_.data(),
            third_row_of({description_.phases, description_.action.weights()}, domain_)};
  matrix_.set_links(links, hops, listener);
  if (single_) single_->matrix.set_links(links, hops, listener);
}

void Solver::combine(const Field<double>& a, double factor, const Field<double>& b,
                     Field<double>& result, Listener& listener) const {
  listener.kernel(combine_card, half_volume(), [&] {
    shape_of(matrix_.hopping(), threads_).combine(a.data(), factor, b.data(), result.data());
  });
}

double Solver::norm_of(std::string_view phase, const Field<double>& field, double bound,
                       Listener& listener) const {
  const auto [value] = workload::bounded_sums<1>(
      phase, residual_card, half_volume(), {bound}, manner_.sums, listener,
      [&](const Bounds<1>& most) {
        return shape_of(matrix_.hopping(), threads_).norm(field.data(), most);
      });
  return value;
}

double Solver::precise_norm_of(std::string_view phase, const Field<double>& field, double bound,
                               Listener& listener) const {
  const double first = norm_of(phase, field, bound, listener);
  const double lost = numerics::rounding_of(workload::bound_room * bound, volume_of(domain_.size));
  return norm_of(phase, field, first + lost, listener);
}

void Solver::set_point(int component) {
  source_length_ = 1.0;
  for (Field<double>& field : source_) std::fill_n(field.data(), field.size(), 0.0);
  Extents local{};
  for (int axis = 0; axis < axes; ++axis) {
    local[axis] = place_[axis] - domain_.origin(axis);
    if (local[axis] < 0 || local[axis] >= domain_.extent(axis)) return;
  }
  if (!real_) return;
  const Hopping<double>& kernel = matrix_.hopping().kernel();
  const std::int64_t place = kernel.place(local) + std::int64_t{2} * component * kernel.lanes();
  source_[parity_of(local)].data()[place] = 1.0;
}

void Solver::set_source(const std::vector<double>& plain, double length) {
  source_length_ = length;
  if (!real_) return;
  for (int parity = 0; parity < 2; ++parity)
    matrix_.hopping().kernel().read_spinors(plain.data(), parity, source_[parity].data());
}

void Solver::normal(Field<double>& even, Field<double>& result, Listener& listener) {
  if (description_.method == Method::cg) return matrix_.apply(true, even, result, listener);
  listener.kernel(combine_card, half_volume(),
                  [&] { std::copy_n(even.data(), even.size(), result.data()); });
}

void Solver::restart(const Field<double>& residual, double squared, bool again,
                     Listener& listener) {
  largest_ = squared;
  if (!single_) {
    listener.kernel(combine_card, half_volume(), [&] {
      std::copy_n(residual.data(), residual.size(), krylov_->residual().data());
    });
    return krylov_->start(squared, again, listener);
  }
  Krylov<float>& krylov = *single_->krylov;
  listener.kernel(convert_card, half_volume(), [&] {
    convert_fields(matrix_.hopping().kernel(), residual.data(), single_->matrix.hopping().kernel(),
                   krylov.residual().data());
  });
  krylov.start(squared, again, listener);
}

void Solver::begin(Listener& listener) {
  solved_ = {};
  grown_ = 0.0;
  updated_ = false;
  for (Field<double>& field : solution_) std::fill_n(field.data(), field.size(), 0.0);
  matrix_.prepare(source_[0], source_[1], between_, listener);
  normal(between_, right_, listener);
  const double hop = matrix_.action().largest_hop();
  double most = source_length_ * (1.0 + 0.5 * hop * matrix_.largest_inverse());
  if (description_.method == Method::cg) most *= matrix_.largest();
  squared_start_ = norm_of(phases::sum_residual, right_, most * most, listener);
  squared_goal_ = description_.tolerance * description_.tolerance * squared_start_;
  restart(right_, squared_start_, false, listener);
}

void Solver::iterate(Listener& listener) {
  with_krylov([&](auto& krylov) { krylov.iterate(listener); });
  updated_ = false;
  largest_ = std::max(largest_, squared());
  ++solved_.iterations;
  solved_.residuals.push_back(squared_start_ > 0.0 ? std::sqrt(squared() / squared_start_) : 0.0);
}

bool Solver::wants_update() const {
  return description_.precision == Precision::mixed &&
         squared() <= std::max(squared_goal_, reliable_fall * reliable_fall * largest_);
}

void Solver::absorb(Listener& listener) {
  if (!single_) {
    combine(solution_[0], 1.0, krylov_->solution(), solution_[0], listener);
    grown_ += krylov_->grown();
    return;
  }
  Krylov<float>& krylov = *single_->krylov;
  listener.kernel(convert_card, half_volume(), [&] {
    convert_fields(single_->matrix.hopping().kernel(), krylov.solution().data(),
                   matrix_.hopping().kernel(), between_.data());
  });
  combine(solution_[0], 1.0, between_, solution_[0], listener);
  grown_ += krylov.grown();
}

// Computes r = b - N x of the solver's system.
void Solver::update(Listener& listener) {
  absorb(listener);
  matrix_.apply(false, solution_[0], between_, listener);
  normal(between_, residual_, listener);
  combine(right_, -1.0, residual_, residual_, listener);
  double factor = matrix_.largest();
  if (description_.method == Method::cg) factor *= factor;
  const double most = std::sqrt(squared_start_) + factor * grown_;
  const double squared = precise_norm_of(phases::sum_residual, residual_, most * most, listener);
  restart(residual_, squared, true, listener);
  updated_ = true;
}

bool Solver::converged() const {
  const bool final = description_.precision != Precision::mixed || updated_;
  return description_.tolerance > 0.0 && final && squared() <= squared_goal_;
}

bool Solver::done() const { return converged() || solved_.iterations >= description_.iterations; }

double Solver::odd_bound() const {
  return matrix_.largest_inverse() *
         (source_length_ + 0.5 * matrix_.action().largest_hop() * grown_);
}

void Solver::end(Listener& listener) {
  absorb(listener);
  matrix_.reconstruct(source_[1], solution_[0], solution_[1], listener);
  matrix_.residual(source_[0], solution_, residual_, listener);
  const QuarkAction& action = matrix_.action();
  const double most =
      source_length_ + action.largest_local() * grown_ + 0.5 * action.largest_hop() * odd_bound();
  solved_.residual =
      std::sqrt(precise_norm_of(phases::sum_solution, residual_, most * most, listener)) /
      source_length_;
}

void Solver::add_pion(std::vector<double>& sums, Listener& listener) const {
  const int times = domain_.size[3];
  std::vector<workload::Parts> parts(static_cast<std::size_t>(times));
  const Extents box = domain_.extents();
  const std::int64_t slice = domain_.volume() / box[3];
  const double most = grown_ + odd_bound();
  listener.kernel(residual_card, static_cast<double>(domain_.volume()), [&] {
    std::vector<double> plain(static_cast<std::size_t>(domain_.volume() * spinor_reals));
    for (int parity = 0; parity < 2; ++parity)
      matrix_.hopping().kernel().write_spinors(solution_[parity].data(), parity, plain.data());
    for (int t = 0; t < box[3]; ++t) {
      const double* first = plain.data() + t * slice * spinor_reals;
      const workload::Parts part = workload::exact_sum(
          slice, threads_, workload::bound_room * most * most, volume_of(domain_.size),
          [&](std::int64_t i) { return site_norm<double, 1>(first + i * spinor_reals); });
      const int from_source = (domain_.origin(3) + t - place_[3] + times) % times;
      for (std::size_t i = 0; i < part.size(); ++i) parts[from_source][i] += part[i];
    }
  });
  listener.sum(phases::sum_pion, std::span(parts.front().data(), 2 * parts.size()));
  for (int t = 0; t < times; ++t) sums[t] += workload::value_of(parts[t]);
}

}  // namespace phasewise::qcd
