#include "qcd/update/gauge_monomial.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "qcd/gauge/loops.hpp"
#include "qcd/gauge/staples.hpp"
#include "qcd/phases.hpp"
#include "workload/exact_sum.hpp"

namespace phasewise::qcd {
namespace {

// Six planes with one plaquette and two rectangles each.
constexpr double planes_of_site = 6.0, rectangles_of_site = 12.0;

// The part of the action that begins at the site, divided by β.
template <class Place>
typename Place::V term_at(const GaugeAction& action, const Place& x) {
  using V = typename Place::V;
  V plaquettes{}, rectangles{};
  for (int mu = 0; mu < axes; ++mu)
    for (int nu = mu + 1; nu < axes; ++nu) {
      plaquettes += 3.0 - plaquette_at(x, mu, nu);
      if (action.rectangles == 0.0) continue;
      rectangles += (3.0 - rectangle_at(x, mu, nu)) + (3.0 - rectangle_at(x, nu, mu));
    }
  return (action.plaquettes() / 3.0) * plaquettes + (action.rectangles / 3.0) * rectangles;
}

// A real trace of SU(3) is between -3/2 and 3; links that are not quite unitary have room.
double largest_of_site(const GaugeAction& action) {
  return 2.0 * (planes_of_site * std::fabs(action.plaquettes()) +
                rectangles_of_site * std::fabs(action.rectangles));
}

template <int Lanes>
void force_at(const GaugeAction& action, double step, const LaneSites& sites,
              const LanePlace<Lanes>& x, const LanePlace<Lanes>& next, std::int64_t number,
              Matrix* to, ForceNorms* norms) {
  for (int mu = 0; mu < axes; ++mu) {
    const auto around = action.rectangles == 0.0
                            ? staples_before(next, x, mu)
                            : wide_staples(action.plaquettes(), action.rectangles, x, mu);
    const auto force = traceless_antihermitian(
        action.beta / 6.0, product<Side::plain, Side::adjoint>(x.link(mu), around));
    add_force_of<Lanes>(sites, number, mu, force, step, to, norms);
  }
}

}  // namespace

// The links are copied into vectors before; those of neighbours are found in a cache again. Momenta
// are read and written, and norms are written, and added to others.
parallel::KernelCard gauge_force_card(const GaugeAction& action) {
  const double around = action.rectangles == 0.0 ? staples_flops : wide_staples_flops;
  return {.name = "gauge_force",
          .flops = axes * (around + 198.0 + 40.0 + add_force_flops),
          .bytes = 3.0 * 576.0 + 2.0 * 576.0 + axes * 3.0 * 8.0,
          .vectorised = true};
}

// The term of a site is written, and read by the sum.
parallel::KernelCard gauge_action_card(const GaugeAction& action) {
  const double products = action.rectangles == 0.0 ? 2.0 : 10.0;
  return {.name = "gauge_action",
          .flops = planes_of_site * (products * 198.0 + 36.0),
          .bytes = 3.0 * 576.0 + 2.0 * 8.0,
          .vectorised = true};
}

GaugeMonomial::GaugeMonomial(UpdateFields& fields, const GaugeAction& action)
    : Monomial(fields), action_(action), links_(action.rectangles == 0.0 ? 1 : 2) {}

double GaugeMonomial::action(workload::Listener& listener) {
  workload::Parts parts{};
  listener.kernel(gauge_action_card(action_), static_cast<double>(fields_.volume()), [&] {
    const LaneMatrices& links = links_.of(fields_);
    const LaneSites& sites = links.sites();
    std::vector<double> terms(static_cast<std::size_t>(fields_.volume()));
    parallel::with_lanes<double>(sites.lanes(), [&]<int Lanes>() {
      for_places<Lanes>(
          links, fields_.threads,
          [&](const LanePlace<Lanes>& x, const LanePlace<Lanes>& /*next*/, std::int64_t n) {
            const auto term = term_at(action_, x);
            for (int lane = 0; lane < Lanes; ++lane)
              terms[static_cast<std::size_t>(sites.own_site(n, lane))] =
                  parallel::lane_of<double, Lanes>(term, lane);
          });
    });
    parts = workload::exact_sum(fields_.volume(), fields_.threads, largest_of_site(action_),
                                volume_of(fields_.links.domain().size),
                                [&](std::int64_t i) { return terms[static_cast<std::size_t>(i)]; });
  });
  listener.sum(phases::sum_action, std::span(parts));
  const double found = action_.beta * workload::value_of(parts);
  return std::isfinite(found) ? found : std::numeric_limits<double>::infinity();
}

void GaugeMonomial::add_force(double step, workload::Listener& listener) {
  listener.kernel(gauge_force_card(action_), static_cast<double>(fields_.volume()), [&] {
    const LaneMatrices& links = links_.of(fields_);
    parallel::with_lanes<double>(links.sites().lanes(), [&]<int Lanes>() {
      for_places<Lanes>(
          links, fields_.threads,
          [&](const LanePlace<Lanes>& x, const LanePlace<Lanes>& next, std::int64_t n) {
            force_at<Lanes>(action_, step, links.sites(), x, next, n, fields_.momenta.data(),
                            &norms_);
          });
    });
  });
}

}  // namespace phasewise::qcd
