#include "qcd/solver/solver.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "qcd/phases.hpp"
#include "workload/exact_sum.hpp"

namespace phasewise::qcd {
namespace {

using workload::Listener;

// One item is a site; a spinor has 24 reals, 192 B.
constexpr parallel::KernelCard pion_card{
    .name = "norm", .flops = 48.0, .bytes = 192.0, .vectorised = true};

std::string text_of_site(const Extents& at) {
  return std::to_string(at[0]) + " " + std::to_string(at[1]) + " " + std::to_string(at[2]) + " " +
         std::to_string(at[3]);
}

}  // namespace

Solver::Solver(const Description& description, const Position& position, int threads, bool real)
    : description_(description),
      domain_(position.domain()),
      threads_(threads),
      real_(real),
      even_(description, description.method, position, threads, real) {
  const std::int64_t reals = matrix().hopping().reals();
  for (auto* pair : {&source_, &solution_})
    for (Field<double>& field : *pair) field = zeros<double>(reals);
  residual_ = zeros<double>(reals);
}

exchange::Exchanges Solver::exchanges() const { return even_.exchanges(); }

void Solver::set_manner(const Manner& manner) { even_.set_manner(manner); }

void Solver::set_links(const Links& links, Listener& listener) {
  even_.set_links({.links = &links,
                   .factors = {description_.phases, description_.action.weights()},
                   .in_lanes = [this, &links](int lanes) -> const LaneMatrices& {
                     return take_in_lanes(links, lanes);
                   }},
                  listener);
  const std::optional<std::int64_t> singular = even_.matrix().singular();
  if (!singular) return;
  std::int64_t site = *singular;
  Extents at;
  for (int axis = 0; axis < axes; ++axis) {
    at[axis] = static_cast<int>(site % domain_.size[axis]);
    site /= domain_.size[axis];
  }
  throw std::invalid_argument("quarks: the clover term of the odd site " + text_of_site(at) +
                              " cannot be inverted; change quarks.kappa or quarks.clover a little");
}

const LaneMatrices& Solver::take_in_lanes(const Links& links, int lanes) {
  if (!in_lanes_.made() || in_lanes_.sites().lanes() != lanes)
    in_lanes_ = LaneMatrices(std::make_shared<LaneSites>(links.box(), 1, lanes), axes);
  in_lanes_.take(links.matrices(), threads_);
  return in_lanes_;
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
  const Hopping<double>& kernel = even_.matrix().hopping().kernel();
  const std::int64_t place = kernel.place(local) + std::int64_t{2} * component * kernel.lanes();
  source_[parity_of(local)].data()[place] = 1.0;
}

void Solver::set_source(const std::vector<double>& plain, double length) {
  source_length_ = length;
  if (!real_) return;
  for (int parity = 0; parity < 2; ++parity)
    even_.matrix().hopping().kernel().read_spinors(plain.data(), parity, source_[parity].data());
}

void Solver::begin(Listener& listener) {
  solved_ = {};
  const bool normal = description_.method == Method::cg;
  for (Field<double>& field : solution_) std::fill_n(field.data(), field.size(), 0.0);
  Dirac<double>& matrix = even_.matrix();
  matrix.prepare(source_[0], source_[1], residual_, listener);
  if (normal)
    matrix.apply(true, residual_, even_.right(), listener);
  else
    even_.copy(residual_, even_.right(), listener);
  const double hop = matrix.action().largest_hop();
  double most = source_length_ * (1.0 + 0.5 * hop * matrix.largest_inverse());
  if (normal) most *= matrix.largest();
  const double squared = even_.norm_of(phases::sum_residual, even_.right(), most * most, listener);
  even_.begin(squared, {description_.tolerance, description_.iterations}, 0.0, listener);
}

void Solver::iterate(Listener& listener) {
  even_.iterate(listener);
  solved_.iterations = even_.iterations();
}

double Solver::odd_bound() const {
  const Dirac<double>& matrix = even_.matrix();
  return matrix.largest_inverse() *
         (source_length_ + 0.5 * matrix.action().largest_hop() * even_.grown());
}

void Solver::end(Listener& listener) {
  even_.end(listener);
  std::copy_n(even_.solution().data(), solution_[0].size(), solution_[0].data());
  solved_.residuals = even_.residuals();
  Dirac<double>& matrix = even_.matrix();
  matrix.reconstruct(source_[1], solution_[0], solution_[1], listener);
  matrix.residual(source_[0], solution_, residual_, listener);
  const QuarkAction& action = matrix.action();
  const double most = source_length_ + action.largest_local() * even_.grown() +
                      0.5 * action.largest_hop() * odd_bound();
  solved_.residual =
      std::sqrt(even_.precise_norm_of(phases::sum_solution, residual_, most * most, listener)) /
      source_length_;
}

void Solver::add_pion(std::vector<double>& sums, Listener& listener) const {
  const int times = domain_.size[3];
  std::vector<workload::Parts> parts(static_cast<std::size_t>(times));
  const Extents box = domain_.extents();
  const std::int64_t slice = domain_.volume() / box[3];
  const double most = even_.grown() + odd_bound();
  listener.kernel(pion_card, static_cast<double>(domain_.volume()), [&] {
    std::vector<double> plain(static_cast<std::size_t>(domain_.volume() * spinor_reals));
    for (int parity = 0; parity < 2; ++parity)
      even_.matrix().hopping().kernel().write_spinors(solution_[parity].data(), parity,
                                                      plain.data());
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
