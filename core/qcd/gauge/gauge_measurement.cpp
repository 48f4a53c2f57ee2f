#include "qcd/gauge/gauge_measurement.hpp"

#include <algorithm>

#include "qcd/phases.hpp"

namespace phasewise::qcd {
namespace {

using workload::Listener;

// Real traces of products of unitary matrices are at most 3. This bounds the sum over all planes,
// even for matrices that are not quite unitary.
constexpr double bound = 64.0;

// One item is a site. A product of matrices takes 198 flops.
parallel::KernelCard plaquette_card(bool rectangles) {
  const double products = rectangles ? 6.0 * 2.0 + 12.0 * 4.0 : 6.0 * 2.0;
  return {.name = "plaquettes", .flops = 198.0 * products, .bytes = 576.0, .vectorised = false};
}
// One item is a link.
parallel::KernelCard loop_card() {
  return {.name = "loops", .flops = 198.0, .bytes = 144.0, .vectorised = false};
}

// The box of a face across an axis: its sites' coordinates have 0 along the axis.
Extents face_box(const Domain& domain, int axis) {
  Extents box = domain.extents();
  box[axis] = 1;
  return box;
}

}  // namespace

GaugeMeasurement::GaugeMeasurement(const Position& position, bool rectangles, int threads,
                                   bool real)
    : position_(position), domain_(position.domain()), rectangles_(rectangles), threads_(threads) {
  std::int64_t largest = 0;
  for (int axis = 0; axis < axes; ++axis) {
    const std::int64_t face = domain_.face(axis);
    if (domain_.split(axis)) largest = std::max(largest, face);
    const exchange::Region all{
        .offset = 0, .run = face * static_cast<std::int64_t>(sizeof(Matrix)), .repeats = nullptr};
    const int place = domain_.place[axis];
    for (int step = 0; step + 1 < domain_.grid[axis]; ++step)
      steps_[axis].push_back(step_exchange(position, phases::polyakov[axis], axis, place == step,
                                           place == step + 1, all, all));
  }
  if (!real) return;
  for (int axis = 0; axis < axes; ++axis) largest = std::max(largest, domain_.face(axis));
  product_.resize(static_cast<std::size_t>(largest));
}

exchange::Exchanges GaugeMeasurement::exchanges() const {
  exchange::Exchanges all;
  for (const auto& steps : steps_) all.insert(all.end(), steps.begin(), steps.end());
  return all;
}

void GaugeMeasurement::tell(const Links& links, Listener& listener) {
  Sums sums{};
  const auto sites = static_cast<double>(domain_.volume());
  listener.kernel(plaquette_card(rectangles_), sites, [&] { add_local(links, sums); });
  for (int axis = 0; axis < axes; ++axis) {
    chain(links, axis, listener);
    if (domain_.place[axis] == domain_.grid[axis] - 1) add_loops(axis, sums);
  }
  listener.sum(phases::sum_gauge, std::span(sums.front().data(), 2 * sums.size()));
  read(sums);
}

// The product of a line of links is handed from rank to rank, so that its factors are always
// multiplied in the same order.
void GaugeMeasurement::chain(const Links& links, int axis, Listener& listener) {
  const auto items = static_cast<double>(domain_.volume());
  const auto& steps = steps_[axis];
  const int place = domain_.place[axis];
  for (int step = 0; step < domain_.grid[axis]; ++step) {
    if (place == step) listener.kernel(loop_card(), items, [&] { multiply_along(links, axis); });
    if (step == static_cast<int>(steps.size())) break;
    listener.start(exchange::common_channel, [&](exchange::Works& works) {
      const auto bytes = static_cast<std::int64_t>(product_.size() * sizeof(Matrix));
      const exchange::ItemBuffer buffer(reinterpret_cast<std::byte*>(product_.data()), bytes);
      works.push_back({exchange::lent(steps[static_cast<std::size_t>(step)]), buffer, buffer});
    });
    listener.finish(exchange::common_channel);
  }
}

void GaugeMeasurement::multiply_along(const Links& links, int axis) {
  if (product_.empty()) return;
  const std::vector<Extents> sites = sites_in(face_box(domain_, axis));
  const bool first = domain_.place[axis] == 0;
  parallel::for_blocks(
      static_cast<std::int64_t>(sites.size()), threads_, [&](std::int64_t begin, int n, int) {
        for (std::int64_t i = begin; i < begin + n; ++i) {
          Extents at = sites[static_cast<std::size_t>(i)];
          Matrix& product = product_[static_cast<std::size_t>(i)];
          if (first) product = links.at(at, axis);
          for (at[axis] = first ? 1 : 0; at[axis] < domain_.extent(axis); ++at[axis])
            product = product * links.at(at, axis);
        }
      });
}

void GaugeMeasurement::add_loops(int axis, Sums& sums) const {
  if (product_.empty()) return;
  const std::int64_t lines = volume_of(domain_.size) / domain_.size[axis];
  const auto trace = [&](std::int64_t i, bool imaginary) {
    const Matrix& product = product_[static_cast<std::size_t>(i)];
    if (!imaginary) return real_trace(product);
    return product.e[0][0].im + product.e[1][1].im + product.e[2][2].im;
  };
  for (const bool imaginary : {false, true})
    sums[4 + 2 * axis + imaginary] = exact_sum(domain_.face(axis), threads_, bound, lines,
                                               [&](std::int64_t i) { return trace(i, imaginary); });
}

void GaugeMeasurement::add_local(const Links& links, Sums& sums) const {
  const std::vector<Extents> sites = sites_in(domain_.extents());
  const auto over_sites = [&](auto&& term) {
    return exact_sum(domain_.volume(), threads_, bound, volume_of(domain_.size),
                     [&](std::int64_t i) { return term(sites[static_cast<std::size_t>(i)]); });
  };
  sums[0] = over_sites([&](const Extents& at) {
    return plaquette(links, at, 0, 1) + plaquette(links, at, 0, 2) + plaquette(links, at, 1, 2);
  });
  sums[1] = over_sites([&](const Extents& at) {
    return plaquette(links, at, 0, 3) + plaquette(links, at, 1, 3) + plaquette(links, at, 2, 3);
  });
  if (rectangles_)
    sums[2] = over_sites([&](const Extents& at) {
      double sum = 0.0;
      for (int mu = 0; mu < axes; ++mu)
        for (int nu = 0; nu < axes; ++nu)
          if (mu != nu) sum += rectangle(links, at, mu, nu);
      return sum;
    });
  sums[3] = over_sites([&](const Extents& at) {
    double sum = 0.0;
    for (int mu = 0; mu < axes; ++mu) sum += real_trace(links.at(at, mu));
    return sum;
  });
}

void GaugeMeasurement::read(const Sums& sums) {
  const auto sites = static_cast<double>(volume_of(domain_.size));
  values_.plaquette_space = value_of(sums[0]) / (9.0 * sites);
  values_.plaquette_time = value_of(sums[1]) / (9.0 * sites);
  values_.rectangle = value_of(sums[2]) / (36.0 * sites);
  values_.link_trace = value_of(sums[3]) / (12.0 * sites);
  for (int axis = 0; axis < axes; ++axis) {
    const double lines = sites / domain_.size[axis];
    values_.polyakov[axis] = {value_of(sums[4 + 2 * axis]) / (3.0 * lines),
                              value_of(sums[5 + 2 * axis]) / (3.0 * lines)};
  }
}

}  // namespace phasewise::qcd
