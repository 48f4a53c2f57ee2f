#include "qcd/gauge/gauge_measurement.hpp"

#include <algorithm>

#include "qcd/phases.hpp"

namespace phasewise::qcd {
namespace {

using workload::Listener;

// One item is a site, whose links are copied into vectors before. A product of matrices takes 198
// flops.
parallel::KernelCard plaquette_card(bool rectangles) {
  const double products = rectangles ? 6.0 * 2.0 + 12.0 * 4.0 : 6.0 * 2.0;
  return {
      .name = "plaquettes", .flops = 198.0 * products, .bytes = 3.0 * 576.0, .vectorised = true};
}
// One item is a link.
parallel::KernelCard loop_card() {
  return {.name = "loops", .flops = 198.0, .bytes = 144.0, .vectorised = false};
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
  LoopSums sums{};
  const auto sites = static_cast<double>(domain_.volume());
  listener.kernel(plaquette_card(rectangles_), sites, [&] {
    if (!in_lanes_.made())
      in_lanes_ = LaneMatrices(
          std::make_shared<LaneSites>(links.box(), rectangles_ ? 2 : 1, parallel::lanes), axes);
    in_lanes_.take(links.matrices(), threads_);
    add_local(in_lanes_, domain_, rectangles_, threads_, sums);
  });
  for (int axis = 0; axis < axes; ++axis) {
    chain(links, axis, listener);
    if (domain_.place[axis] == domain_.grid[axis] - 1 && !product_.empty())
      add_loops(product_, domain_.face(axis), axis, domain_.size, threads_, sums);
  }
  listener.sum(phases::sum_gauge, std::span(sums.front().data(), 2 * sums.size()));
  values_ = values_of(sums, domain_.size);
}

// The product of a line of links is handed from rank to rank, so that its factors are always
// multiplied in the same order.
void GaugeMeasurement::chain(const Links& links, int axis, Listener& listener) {
  const auto items = static_cast<double>(domain_.volume());
  const auto& steps = steps_[axis];
  const int place = domain_.place[axis];
  for (int step = 0; step < domain_.grid[axis]; ++step) {
    if (place == step)
      listener.kernel(loop_card(), items, [&] {
        if (!product_.empty())
          multiply_along(links, domain_.extents(), axis, place == 0, threads_, product_);
      });
    if (step == static_cast<int>(steps.size())) break;
    listener.start(exchange::common_channel, [&](exchange::Works& works) {
      const auto bytes = static_cast<std::int64_t>(product_.size() * sizeof(Matrix));
      const exchange::ItemBuffer buffer(reinterpret_cast<std::byte*>(product_.data()), bytes);
      works.push_back({exchange::lent(steps[static_cast<std::size_t>(step)]), buffer, buffer});
    });
    listener.finish(exchange::common_channel);
  }
}

}  // namespace phasewise::qcd
