#include "qcd/update/clover_force.hpp"

#include "qcd/gauge/staples.hpp"
#include "qcd/phases.hpp"

namespace phasewise::qcd {
namespace {

constexpr int tensor_planes = axes * (axes - 1) / 2;
constexpr std::int64_t tensor_bytes = tensor_planes * std::int64_t{sizeof(Matrix)};

// xy xz xt yz yt zt.
constexpr int plane_of(int mu, int nu) {
  const int low = mu < nu ? mu : nu, high = mu < nu ? nu : mu;
  return low * (2 * axes - low - 1) / 2 + high - low - 1;
}

// Of the plaquette on one side of the link from x along mu: the sum over its corners, where T is
// put in, of what follows the link around the plaquette. With M = U times it, the plaquette's part
// of ∂_a S is ± Re tr iT_a M/4, since δF = (δQ - δQ†)/8 and T† = -T.
template <Way way, int Lanes>
auto insertions(const LaneMatrices& tensor, const LanePlace<Lanes>& x, int mu, int nu) {
  using enum Side;
  constexpr Side out = step_side<way>, back = back_side<way>;
  const auto at = [&](const LanePlace<Lanes>& corner) {
    return corner.matrix(tensor, plane_of(mu, nu));
  };
  const LanePlace<Lanes> next = x.ahead(mu), above = stepped<way>(x, nu);
  const auto up = step_link<way>(next, nu), across = above.link(mu), down = step_link<way>(x, nu);
  const auto around = product<plain, back>(product<out, adjoint>(up, across), down);
  auto sum = product(around, at(x));
  add(sum, product(at(next), around));
  auto far = product<plain, adjoint>(at(stepped<way>(next, nu)), across);
  add(far, product<adjoint, plain>(across, at(above)));
  add(sum, product<plain, back>(product<out, plain>(up, far), down));
  return sum;
}

// F of the link from x along mu. Backwards, and where the plane's sense is from nu to mu, the
// leaves go through the link against its direction: T† = -T stands for T then.
template <int Lanes>
auto force_of(const LaneMatrices& tensor, const LanePlace<Lanes>& x, int mu) {
  ColourMatrix<parallel::Vector<double, Lanes>> sum{};
  for (int nu = 0; nu < axes; ++nu) {
    if (nu == mu) continue;
    auto one = insertions<Way::backwards>(tensor, x, mu, nu);
    scale(one, -1.0);
    add(one, insertions<Way::forwards>(tensor, x, mu, nu));
    if (nu < mu) scale(one, -1.0);
    add(sum, one);
  }
  // i Σ T_a Re tr iT_a M = -[M]/2.
  return traceless_antihermitian(-0.125, product(x.link(mu), sum));
}

constexpr double insertions_flops = 8.0 * 198.0 + 3.0 * 18.0;

}  // namespace

// Links and T are copied into vectors before; those of neighbours are found in a cache again.
parallel::KernelCard clover_force_card() {
  return {
      .name = "clover_force",
      .flops = axes * (6.0 * insertions_flops + 3.0 * 3.0 * 18.0 + 198.0 + 40.0 + add_force_flops),
      .bytes = 3.0 * (576.0 + 864.0) + 2.0 * 576.0,
      .vectorised = true};
}

CloverForce::CloverForce(UpdateFields& fields)
    : fields_(fields), box_(fields.links.domain(), 1, tensor_bytes) {
  if (fields.real) tensor_ = parallel::Buffer<Matrix>(tensor_planes * box_.sites());
  for (int axis = 0; axis < axes; ++axis)
    if (box_.domain().split(axis))
      exchanges_[static_cast<std::size_t>(axis)] = face_exchange(
          fields.position, phases::tensor[axis], axis, box_.faces(axis), Regions::together,
          exchange::common_channel, exchange::Protocol::irecv_isend);
}

exchange::Exchanges CloverForce::exchanges() const {
  return {exchanges_.begin(), exchanges_.end()};
}

void CloverForce::add(double step, Momenta& to, ForceNorms* norms, workload::Listener& listener) {
  for (const exchange::ExchangePointer& one : exchanges_) {
    if (!one) continue;
    listener.start(exchange::common_channel, [&](exchange::Works& works) {
      const exchange::ItemBuffer buffer(
          fields_.real ? reinterpret_cast<std::byte*>(tensor_.data()) : nullptr, box_.bytes());
      works.push_back({exchange::lent(one), buffer, buffer});
    });
    listener.finish(exchange::common_channel);
  }
  listener.kernel(clover_force_card(), static_cast<double>(fields_.volume()), [&] {
    const LaneMatrices& links = links_.of(fields_);
    if (lanes_ != fields_.lanes)
      tensor_in_lanes_ =
          LaneMatrices(std::make_shared<LaneSites>(box_, 1, fields_.lanes), tensor_planes);
    lanes_ = fields_.lanes;
    tensor_in_lanes_.take(tensor_.data(), fields_.threads);
    parallel::with_lanes<double>(links.sites().lanes(), [&]<int Lanes>() {
      for_places<Lanes>(
          links, fields_.threads,
          [&](const LanePlace<Lanes>& x, const LanePlace<Lanes>& /*next*/, std::int64_t n) {
            for (int mu = 0; mu < axes; ++mu)
              add_force_of<Lanes>(links.sites(), n, mu, force_of<Lanes>(tensor_in_lanes_, x, mu),
                                  step, to.data(), norms);
          });
    });
  });
}

}  // namespace phasewise::qcd
