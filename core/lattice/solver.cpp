#include "lattice/solver.hpp"

#include <cmath>

#include "lattice/phases.hpp"
#include "parallel/loops.hpp"

namespace phasewise::lattice {
namespace {

using workload::Listener;

// A bound is exceeded by rounding alone; this leaves room for it.
constexpr double room = 1.001;

// One item: a site of one parity; a spinor has 24 reals, and 192 B.
parallel::KernelCard combine_card() {
  return {.name = "combine", .flops = 72.0, .bytes = 576.0, .vectorised = false};
}
parallel::KernelCard norm_card() {
  return {.name = "norm", .flops = 48.0, .bytes = 192.0, .vectorised = false};
}
// x, r and the product; x and r are written.
parallel::KernelCard update_card() {
  return {.name = "update", .flops = 96.0, .bytes = 6.0 * 192.0, .vectorised = false};
}
parallel::KernelCard direction_card() {
  return {.name = "direction", .flops = 48.0, .bytes = 3.0 * 192.0, .vectorised = false};
}

}  // namespace

Solver::Solver(const Description& description, const Domain& domain, Hopping& hopping, int threads,
               bool real)
    : description_(description),
      domain_(domain),
      hopping_(hopping),
      threads_(threads),
      manner_(description.manner),
      diagonal_(description.diagonal()),
      real_(real) {
  if (!real) return;
  const std::int64_t sites = domain.volume() / 2;
  for (auto* pair : {&source_, &solution_})
    for (Field& field : *pair) field = Field(sites);
  for (Field* field : {&residual_, &direction_, &applied_, &again_, &odd_, &hopped_})
    *field = Field(sites);
}

template <class F>
void Solver::each(F&& f) const {
  parallel::for_blocks(domain_.volume() / 2, threads_, [&](std::int64_t begin, int n, int) {
    for (std::int64_t i = begin; i < begin + n; ++i) f(i);
  });
}

void Solver::exchange(int axis, Listener& listener) {
  const auto channel = manner_.overlap ? static_cast<comm::Channel>(axis) : comm::common_channel;
  listener.start(channel, [&](comm::Works& works) {
    const comm::ItemBuffer buffer(hopping_.messages(), hopping_.message_bytes());
    works.push_back({comm::lent(exchanges_[static_cast<std::size_t>(axis)]), buffer, buffer});
  });
}

// Axis by axis, or all at once while the sites that need nothing of them are computed.
void Solver::hop(int parity, Field& out, const Field& in, Listener& listener) {
  const auto sites = static_cast<double>(domain_.volume() / 2);
  bool split = false;
  for (int axis = 0; axis < axes; ++axis) {
    if (!domain_.split(axis)) continue;
    split = true;
    listener.kernel(hopping_.pack_card(), static_cast<double>(domain_.face(axis)),
                    [&] { hopping_.pack(axis, 1 - parity, in, threads_); });
    exchange(axis, listener);
    if (!manner_.overlap) listener.finish(comm::common_channel);
  }
  if (!manner_.overlap || !split)
    return listener.kernel(Hopping::card(), sites,
                           [&] { hopping_.all(parity, out, in, threads_); });
  if (hopping_.inside() > 0)
    listener.kernel(Hopping::card(), static_cast<double>(hopping_.inside()),
                    [&] { hopping_.inner(parity, out, in, threads_); });
  for (int axis = 0; axis < axes; ++axis)
    if (domain_.split(axis)) listener.finish(static_cast<comm::Channel>(axis));
  listener.kernel(Hopping::card(), static_cast<double>(hopping_.at_edge()),
                  [&] { hopping_.edge(parity, out, in, threads_); });
}

void Solver::apply(Field& out, const Field& in, Listener& listener) {
  hop(1, odd_, in, listener);
  hop(0, hopped_, odd_, listener);
  const double a = diagonal_, b = -0.25 / diagonal_;
  listener.kernel(combine_card(), static_cast<double>(domain_.volume() / 2), [&] {
    each([&](std::int64_t i) {
      out.data()[i] = gamma5(combined(a, in.data()[i], b, hopped_.data()[i]));
    });
  });
}

// bound: of the whole sum, and so of each term.
double Solver::norm_of(std::string_view phase, const Field& field, double bound,
                       Listener& listener) const {
  Parts parts{};
  listener.kernel(norm_card(), static_cast<double>(domain_.volume() / 2), [&] {
    parts = exact_sum(domain_.volume() / 2, threads_, room * bound, volume_of(domain_.size),
                      manner_.sums == Sums::library,
                      [&](std::int64_t i) { return norm(field.data()[i]); });
  });
  listener.sum(phase, parts);
  return value_of(parts);
}

// The source is a unit spinor at one site.
void Solver::begin(int component, Listener& listener) {
  solved_ = {};
  const Extents at = description_.source;
  bool here = true;
  Extents local{};
  for (int axis = 0; axis < axes; ++axis) {
    local[axis] = at[axis] - domain_.origin(axis);
    here &= local[axis] >= 0 && local[axis] < domain_.extent(axis);
  }
  if (real_) {
    for (int parity = 0; parity < 2; ++parity)
      each([&](std::int64_t i) {
        source_[parity].data()[i] = Spinor{};
        solution_[parity].data()[i] = Spinor{};
      });
    if (here)
      source_[parity_of(local)]
          .data()[half_site_of(domain_.extents(), local)]
          .s[component / 3]
          .c[component % 3]
          .re = 1.0;
  }
  hop(0, hopped_, source_[1], listener);
  listener.kernel(combine_card(), static_cast<double>(domain_.volume() / 2), [&] {
    each([&](std::int64_t i) {
      again_.data()[i] =
          gamma5(combined(1.0, source_[0].data()[i], 0.5 / diagonal_, hopped_.data()[i]));
    });
  });
  apply(residual_, again_, listener);
  listener.kernel(direction_card(), static_cast<double>(domain_.volume() / 2), [&] {
    each([&](std::int64_t i) { direction_.data()[i] = residual_.data()[i]; });
  });
  // |b| = 1.
  const double most = largest_factor() * (1.0 + 4.0 / diagonal_);
  rr_ = rr_start_ = norm_of(phases::sum_residual, residual_, most * most, listener);
  length_ = std::sqrt(rr_);
  grown_ = 0.0;
}

void Solver::iterate(Listener& listener) {
  apply(applied_, direction_, listener);
  const double factor = largest_factor();
  const double most = factor * length_;
  const double curvature = norm_of(phases::sum_curvature, applied_, most * most, listener);
  apply(again_, applied_, listener);
  const double alpha = curvature > 0.0 ? rr_ / curvature : 0.0;
  listener.kernel(update_card(), static_cast<double>(domain_.volume() / 2), [&] {
    each([&](std::int64_t i) {
      Spinor& x = solution_[0].data()[i];
      Spinor& r = residual_.data()[i];
      x = combined(1.0, x, alpha, direction_.data()[i]);
      r = combined(1.0, r, -alpha, again_.data()[i]);
    });
  });
  const double largest = std::sqrt(rr_) + alpha * factor * std::sqrt(curvature);
  const double next = norm_of(phases::sum_residual, residual_, largest * largest, listener);
  const double beta = rr_ > 0.0 ? next / rr_ : 0.0;
  listener.kernel(direction_card(), static_cast<double>(domain_.volume() / 2), [&] {
    each([&](std::int64_t i) {
      Spinor& p = direction_.data()[i];
      p = combined(1.0, residual_.data()[i], beta, p);
    });
  });
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
  const auto sites = static_cast<double>(domain_.volume() / 2);
  hop(1, odd_, solution_[0], listener);
  listener.kernel(combine_card(), sites, [&] {
    each([&](std::int64_t i) {
      solution_[1].data()[i] = combined(1.0 / a, source_[1].data()[i], 0.5 / a, odd_.data()[i]);
    });
  });
  hop(0, hopped_, solution_[1], listener);
  // What is left of the even sites; that of the odd ones vanishes by their construction.
  listener.kernel(combine_card(), sites, [&] {
    each([&](std::int64_t i) {
      const Spinor product = combined(a, solution_[0].data()[i], -0.5, hopped_.data()[i]);
      again_.data()[i] = combined(1.0, source_[0].data()[i], -1.0, product);
    });
  });
  const double odd = (1.0 + 4.0 * grown_) / a;
  const double most = 1.0 + a * grown_ + 4.0 * odd;
  // The bound is far above what is left, whose digits the first sum may lose: it bounds the second.
  const double first = norm_of(phases::sum_solution, again_, most * most, listener);
  const double lost = numerics::rounding_of(room * most * most, volume_of(domain_.size));
  solved_.residual = std::sqrt(norm_of(phases::sum_solution, again_, first + lost, listener));
}

void Solver::add_pion(std::vector<double>& sums, Listener& listener) const {
  const int times = domain_.size[3];
  std::vector<double> parts(static_cast<std::size_t>(2 * times));
  const Extents box = domain_.extents();
  const std::int64_t slice = domain_.volume() / 2 / box[3];
  const double most = grown_ + (1.0 + 4.0 * grown_) / diagonal_;
  listener.kernel(norm_card(), static_cast<double>(domain_.volume()), [&] {
    for (int t = 0; t < box[3]; ++t)
      for (int parity = 0; parity < 2; ++parity) {
        const Spinor* first = solution_[parity].data() + t * slice;
        const Parts part = exact_sum(slice, threads_, room * most * most, volume_of(domain_.size),
                                     manner_.sums == Sums::library,
                                     [&](std::int64_t i) { return norm(first[i]); });
        const int from_source = (domain_.origin(3) + t - description_.source[3] + times) % times;
        parts[static_cast<std::size_t>(2 * from_source)] += part[0];
        parts[static_cast<std::size_t>(2 * from_source + 1)] += part[1];
      }
  });
  listener.sum(phases::sum_pion, parts);
  for (int t = 0; t < times; ++t)
    sums[static_cast<std::size_t>(t)] +=
        parts[static_cast<std::size_t>(2 * t)] + parts[static_cast<std::size_t>(2 * t + 1)];
}

}  // namespace phasewise::lattice
