#include "lattice/solver.hpp"

#include <algorithm>
#include <cmath>

#include "lattice/exact_sum.hpp"
#include "lattice/link_factors.hpp"
#include "lattice/phases.hpp"
#include "parallel/large_pages.hpp"

namespace phasewise::lattice {
namespace {

using workload::Listener;

// A bound is exceeded by rounding alone; this leaves room for it.
constexpr double room = 1.001;

// One item: a site of one parity; a spinor has 24 reals, and 192 B.
constexpr parallel::KernelCard combine_card{
    .name = "combine", .flops = 48.0, .bytes = 3.0 * 192.0, .vectorised = true};
constexpr parallel::KernelCard norm_card{
    .name = "norm", .flops = 48.0, .bytes = 192.0, .vectorised = true};
// x, r, p and the product; x and r are written.
constexpr parallel::KernelCard update_card{
    .name = "update", .flops = 144.0, .bytes = 6.0 * 192.0, .vectorised = true};

// One item: a site of a face, one way. Half of those of two components are projected alone, half
// multiplied by a link too.
parallel::KernelCard pack_card(Spinors spinors) {
  if (spinors == Spinors::full)
    return {.name = "faces", .flops = 0.0, .bytes = 384.0, .vectorised = false};
  return {.name = "faces", .flops = 12.0 + 66.0, .bytes = 360.0, .vectorised = false};
}

std::int64_t site_bytes(Spinors spinors) { return spinors == Spinors::half ? 96 : 192; }

}  // namespace

Solver::Solver(const Description& description, const Domain& domain, int threads, bool real)
    : description_(description),
      domain_(domain),
      threads_(threads),
      real_(real),
      manner_(description.manner),
      diagonal_(description.diagonal()),
      messages_(domain, site_bytes(description.manner.spinors), real) {
  if (!real) return;
  const std::int64_t reals = domain.volume() / 2 * spinor_reals;
  const auto make = [&](Field& field) {
    field = Field(reals);
    parallel::prefer_large_pages(field.data(), static_cast<std::size_t>(reals) * sizeof(double));
    std::fill_n(field.data(), reals, 0.0);
  };
  for (auto* pair : {&source_, &solution_})
    for (Field& field : *pair) make(field);
  for (Field* field : {&residual_, &direction_, &applied_, &again_, &odd_, &hopped_}) make(*field);
}

void Solver::set_manner(const Manner& manner) {
  const bool other = manner.spinors != manner_.spinors || manner.kernel != manner_.kernel;
  manner_ = manner;
  if (!other) return;
  messages_ = FaceMessages(domain_, site_bytes(manner.spinors), real_);
  if (!links_.empty()) make_hopping();
}

// The links before a site may be another rank's, and then those of the halo.
void Solver::set_links(const Links& links) {
  const Extents box = domain_.extents();
  links_.resize(static_cast<std::size_t>(domain_.volume() * site_link_doubles));
  before_.resize(links_.size());
  for_each_site(box, [&](const Extents& at) {
    for (int axis = 0; axis < axes; ++axis) {
      const std::int64_t place = site_of(box, at) * site_link_doubles + axis * link_doubles;
      Extents other = at;
      --other[axis];
      const int global = domain_.origin(axis) + at[axis], last = domain_.size[axis] - 1;
      const auto copy = [&](const Matrix& link, bool crosses, double* to) {
        multiply_link(boundary_factor(crosses ? description_.phases[axis] : 0.0), 1.0,
                      reinterpret_cast<const double*>(&link), to);
      };
      copy(links.at(at, axis), global == last, links_.data() + place);
      copy(links.at(other, axis), global == 0, before_.data() + place);
    }
  });
  make_hopping();
}

void Solver::make_hopping() {
  HoppingShape shape{.box = domain_.extents(), .threads = threads_};
  for (int axis = 0; axis < axes; ++axis) shape.split[axis] = domain_.split(axis);
  shape.spinors = manner_.spinors == Spinors::half ? FaceSpinors::half : FaceSpinors::full;
  hopping_ = Hopping<double>::make(manner_.kernel, shape);
  hopping_->set_links(links_.data(), before_.data());
}

FieldShape<double> Solver::shape() const {
  return {.reals = hopping_->field_reals(),
          .lanes = hopping_->lanes(),
          .threads = threads_,
          .all_sites = static_cast<double>(volume_of(domain_.size))};
}

// Half of the sites that are not on a face.
std::int64_t Solver::inside() const {
  Extents box = domain_.extents();
  for (int axis = 0; axis < axes; ++axis)
    if (domain_.split(axis)) box[axis] -= 2;
  return volume_of(box) / 2;
}

void Solver::start_exchange(int axis, Listener& listener) {
  const auto channel = manner_.overlap ? static_cast<comm::Channel>(axis) : comm::common_channel;
  listener.start(channel, [&](comm::Works& works) {
    const comm::ItemBuffer buffer(messages_.data(), messages_.bytes());
    works.push_back({comm::lent(exchanges_[static_cast<std::size_t>(axis)]), buffer, buffer});
  });
}

// Axis by axis, or all at once while the sites that need nothing of them are computed.
void Solver::hop(int to, bool dagger, const Field& in, Field& out, Listener& listener) {
  bool split = false;
  for (int axis = 0; axis < axes; ++axis) {
    if (!domain_.split(axis)) continue;
    split = true;
    listener.kernel(pack_card(manner_.spinors), static_cast<double>(domain_.face(axis)), [&] {
      for (int side = 0; side < 2; ++side)
        hopping_->pack(to, axis, side, dagger, in.data(), messages_.leaving(axis, side));
    });
    start_exchange(axis, listener);
    // Nothing is posted before the exchange is asked to go on.
    if (manner_.overlap)
      listener.progress(static_cast<comm::Channel>(axis));
    else
      listener.finish(comm::common_channel);
  }
  const auto interior = [&] { hopping_->interior(to, dagger, in.data(), out.data()); };
  const auto boundary = [&] {
    hopping_->boundary(to, dagger, in.data(), messages_.arrived(), out.data());
  };
  if (!manner_.overlap || !split)
    return listener.kernel(hopping_card<double>, half_volume(), [&] {
      interior();
      if (split) boundary();
    });
  const auto within = static_cast<double>(inside());
  if (within > 0.0) listener.kernel(hopping_card<double>, within, interior);
  for (int axis = 0; axis < axes; ++axis)
    if (domain_.split(axis)) listener.finish(static_cast<comm::Channel>(axis));
  listener.kernel(hopping_card<double>, half_volume() - within, boundary);
}

void Solver::combine(const Field& a, double factor, const Field& b, Field& out,
                     Listener& listener) const {
  listener.kernel(combine_card, half_volume(),
                  [&] { shape().combine(a.data(), factor, b.data(), out.data()); });
}

void Solver::apply(bool dagger, const Field& in, Field& out, Listener& listener) {
  hop(1, dagger, in, odd_, listener);
  hop(0, dagger, odd_, hopped_, listener);
  combine(in, -0.25 / (diagonal_ * diagonal_), hopped_, out, listener);
}

template <class F>
double Solver::sum(std::string_view phase, const parallel::KernelCard& card, double bound, F&& part,
                   Listener& listener) const {
  Parts parts{};
  listener.kernel(card, half_volume(), [&] {
    const PartialSum found = part(room * bound);
    parts = {found[0], found[1]};
  });
  if (manner_.sums == Sums::library) parts = {parts[0] + parts[1], 0.0};
  listener.sum(phase, parts);
  return value_of(parts);
}

double Solver::norm_of(std::string_view phase, const Field& field, double bound,
                       Listener& listener) const {
  return sum(
      phase, norm_card, bound, [&](double most) { return shape().norm(field.data(), most); },
      listener);
}

// The source is a unit spinor at one site.
void Solver::begin(int component, Listener& listener) {
  solved_ = {};
  if (real_) {
    for (auto* pair : {&source_, &solution_})
      for (Field& field : *pair) std::fill_n(field.data(), field.size(), 0.0);
    Extents local{};
    bool here = true;
    for (int axis = 0; axis < axes; ++axis) {
      local[axis] = description_.source[axis] - domain_.origin(axis);
      here &= local[axis] >= 0 && local[axis] < domain_.extent(axis);
    }
    if (here)
      source_[parity_of(local)].data()[hopping_->place(local) + static_cast<std::int64_t>(2) *
                                                                    component * hopping_->lanes()] =
          1.0 / diagonal_;
  }
  hop(0, false, source_[1], hopped_, listener);
  combine(source_[0], 0.5 / diagonal_, hopped_, again_, listener);
  apply(true, again_, residual_, listener);
  listener.kernel(combine_card, half_volume(),
                  [&] { std::copy_n(residual_.data(), residual_.size(), direction_.data()); });
  // |b| = 1.
  const double most = largest_factor() * (1.0 + 4.0 / diagonal_) / diagonal_;
  rr_ = rr_start_ = norm_of(phases::sum_residual, residual_, most * most, listener);
  length_ = std::sqrt(rr_);
  grown_ = 0.0;
}

void Solver::iterate(Listener& listener) {
  apply(false, direction_, applied_, listener);
  const double factor = largest_factor();
  const double most = factor * length_;
  const double curvature = norm_of(phases::sum_curvature, applied_, most * most, listener);
  apply(true, applied_, again_, listener);
  const double alpha = curvature > 0.0 ? rr_ / curvature : 0.0;
  const double largest = std::sqrt(rr_) + alpha * factor * std::sqrt(curvature);
  const double next = sum(
      phases::sum_residual, update_card, largest * largest,
      [&](double bound) {
        return shape().advance(alpha, direction_.data(), again_.data(), solution_[0].data(),
                               residual_.data(), bound);
      },
      listener);
  const double beta = rr_ > 0.0 ? next / rr_ : 0.0;
  combine(residual_, beta, direction_, direction_, listener);
  grown_ += alpha * length_;
  length_ = std::sqrt(next) + beta * length_;
  rr_ = next;
  ++solved_.iterations;
  solved_.residuals.push_back(rr_start_ > 0.0 ? std::sqrt(rr_ / rr_start_) : 0.0);
}

bool Solver::converged() const {
  const double wanted = description_.tolerance;
  return wanted > 0.0 && std::sqrt(rr_) <= wanted * std::sqrt(rr_start_);
}

bool Solver::done() const { return converged() || solved_.iterations >= description_.iterations; }

void Solver::end(Listener& listener) {
  const double a = diagonal_;
  hop(1, false, solution_[0], odd_, listener);
  combine(source_[1], 0.5 / a, odd_, solution_[1], listener);
  hop(0, false, solution_[1], hopped_, listener);
  // What is left of the even sites, over a; that of the odd ones vanishes by their construction.
  combine(source_[0], -1.0, solution_[0], again_, listener);
  combine(again_, 0.5 / a, hopped_, again_, listener);
  const double odd = (1.0 + 4.0 * grown_) / a;
  const double most = (1.0 + a * grown_ + 4.0 * odd) / a;
  // The bound is far above what is left, whose digits the first sum may lose: it bounds the second.
  const double first = norm_of(phases::sum_solution, again_, most * most, listener);
  const double lost = numerics::rounding_of(room * most * most, volume_of(domain_.size));
  const double left = norm_of(phases::sum_solution, again_, first + lost, listener);
  solved_.residual = a * std::sqrt(left);
}

void Solver::add_pion(std::vector<double>& sums, Listener& listener) const {
  const int times = domain_.size[3];
  std::vector<Parts> parts(static_cast<std::size_t>(times));
  const Extents box = domain_.extents();
  const std::int64_t slice = domain_.volume() / box[3];
  const double most = grown_ + (1.0 + 4.0 * grown_) / diagonal_;
  listener.kernel(norm_card, static_cast<double>(domain_.volume()), [&] {
    std::vector<double> plain(static_cast<std::size_t>(domain_.volume() * spinor_reals));
    for (int parity = 0; parity < 2; ++parity)
      hopping_->write_spinors(solution_[parity].data(), parity, plain.data());
    for (int t = 0; t < box[3]; ++t) {
      const double* first = plain.data() + t * slice * spinor_reals;
      const Parts part =
          exact_sum(slice, threads_, room * most * most, volume_of(domain_.size),
                    [&](std::int64_t i) { return site_norm<double, 1>(first + i * spinor_reals); });
      const int from_source = (domain_.origin(3) + t - description_.source[3] + times) % times;
      for (std::size_t i = 0; i < part.size(); ++i) parts[from_source][i] += part[i];
    }
  });
  listener.sum(phases::sum_pion, std::span(parts.front().data(), 2 * parts.size()));
  for (int t = 0; t < times; ++t) sums[t] += value_of(parts[t]);
}

}  // namespace phasewise::lattice
