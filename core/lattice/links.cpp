#include "lattice/links.hpp"

#include <memory>
#include <utility>

namespace phasewise::lattice {
namespace {

constexpr std::uint32_t hot_stream = 0;  // of random numbers

Extents moved(Extents site, int axis, int steps) {
  site[axis] += steps;
  return site;
}

// The regions of a slab [first, first + planes) along an axis.
comm::Region slab(const Extents& box, const Domain& domain, int halo, int axis, int first,
                  int planes) {
  std::array<std::int64_t, axes> stride;
  std::int64_t bytes = Links::site_bytes;
  for (int a = 0; a < axes; ++a) {
    stride[a] = bytes;
    bytes *= box[a];
  }
  comm::Region region{.offset = first * stride[axis], .run = planes * stride[axis], .repeats = {}};
  auto loops = std::make_shared<std::vector<comm::Repeat>>();
  for (int a = axes - 1; a > axis; --a) {
    region.offset += (domain.split(a) ? halo : 0) * stride[a];
    loops->push_back({domain.extent(a), stride[a]});
  }
  if (!loops->empty()) region.repeats = std::move(loops);
  return region;
}

}  // namespace

Links::Links(const Domain& domain, int halo, bool real) : domain_(domain), halo_(halo) {
  for (int axis = 0; axis < axes; ++axis)
    box_[axis] = domain.extent(axis) + (domain.split(axis) ? 2 * halo : 0);
  if (real) links_ = parallel::Buffer<Matrix>(axes * volume_of(box_));
}

std::int64_t Links::index(Extents site, int direction) const {
  for (int axis = 0; axis < axes; ++axis) {
    const int extent = domain_.extent(axis);
    site[axis] = domain_.split(axis) ? site[axis] + halo_ : (site[axis] + extent) % extent;
  }
  return axes * site_of(box_, site) + direction;
}

void Links::set_cold() {
  for_each_site(domain_.extents(), [&](const Extents& site) {
    for (int mu = 0; mu < axes; ++mu) at(site, mu) = Matrix::one();
  });
}

void Links::set_random(std::uint64_t seed) {
  for_each_site(domain_.extents(), [&](const Extents& site) {
    const std::int64_t number = site_of(domain_.size, domain_.global(site));
    for (int mu = 0; mu < axes; ++mu)
      at(site, mu) = random_matrix(seed, static_cast<std::uint64_t>(number), mu, hot_stream);
  });
}

Faces Links::faces(int axis) const {
  const int extent = domain_.extent(axis);
  const auto part = [&](int first) {
    return std::vector<comm::Region>{slab(box_, domain_, halo_, axis, first, halo_)};
  };
  return {.to_before = part(halo_),
          .to_behind = part(extent),
          .from_before = part(0),
          .from_behind = part(extent + halo_)};
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

}  // namespace phasewise::lattice
