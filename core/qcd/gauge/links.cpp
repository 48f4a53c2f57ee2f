#include "qcd/gauge/links.hpp"

#include "qcd/random_streams.hpp"

namespace phasewise::qcd {
namespace {

Extents moved(Extents site, int axis, int steps) {
  site[axis] += steps;
  return site;
}

}  // namespace

Links::Links(const Domain& domain, int halo, bool real) : box_(domain, halo, site_bytes) {
  if (!real) return;
  links_ = parallel::Buffer<Matrix>(axes * box_.sites());
}

void Links::set_cold() {
  for_each_site(domain().extents(), [&](const Extents& site) {
    for (int mu = 0; mu < axes; ++mu) at(site, mu) = Matrix::one();
  });
}

void Links::set_random(std::uint64_t seed) {
  for_each_site(domain().extents(), [&](const Extents& site) {
    const std::int64_t number = site_of(domain().size, domain().global(site));
    for (int mu = 0; mu < axes; ++mu)
      at(site, mu) =
          random_matrix(seed, static_cast<std::uint64_t>(number), mu, streams::hot_start);
  });
}

double plaquette(const Links& links, const Extents& site, int mu, int nu) {
  const Matrix there = links.at(site, mu) * links.at(moved(site, mu, 1), nu);
  const Matrix back = links.at(site, nu) * links.at(moved(site, nu, 1), mu);
  return real_trace_with_adjoint(there, back);
}

double rectangle(const Links& links, const Extents& site, int mu, int nu) {
  const Extents next = moved(site, mu, 1);
  const Matrix there = (links.at(site, mu) * links.at(next, mu)) * links.at(moved(site, mu, 2), nu);
  const Extents above = moved(site, nu, 1);
  const Matrix back =
      (links.at(site, nu) * links.at(above, mu)) * links.at(moved(above, mu, 1), mu);
  return real_trace_with_adjoint(there, back);
}

}  // namespace phasewise::qcd
