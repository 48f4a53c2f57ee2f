#include "qcd/update/heat_bath.hpp"

#include "qcd/gauge/staples.hpp"
#include "qcd/phases.hpp"
#include "qcd/update/subgroups.hpp"
#include "qcd/update/subset_faces.hpp"

namespace phasewise::qcd {
namespace {

// Staples below this, of which no subgroup's block is left, leave the direction open.
constexpr double no_block = 1e-200;

template <int Lanes>
struct LinkUpdate {
  using V = parallel::Vector<double, Lanes>;
  Sweep kind;
  double third_of_beta;
  LinkNumbers<Lanes> numbers;

  Quaternion<V> factor(std::uint32_t subgroup, Quaternion<V> block) const {
    V square = squared(block);
    const auto none = square < no_block;
    block.a[0] = none ? V{} + 1.0 : block.a[0];
    square = none ? V{} + 1.0 : square;
    if (kind == Sweep::over_relaxation) return reflection(block, square);
    const V norm = parallel::square_root(square);
    V coupling = none ? V{} : third_of_beta * norm;
    coupling = coupling < least_coupling ? V{} + least_coupling : coupling;
    return times_inverse(draw_element<Lanes>(numbers, subgroup, coupling), block, V(1.0 / norm));
  }

  ColourMatrix<V> updated(ColourMatrix<V> link, const ColourMatrix<V>& around) const {
    ColourMatrix<V> w = product<Side::plain, Side::adjoint>(link, around);
    for (std::uint32_t subgroup = 0; subgroup < 3; ++subgroup) {
      const auto [i, j] = subgroups[subgroup];
      const Quaternion<V> g = factor(subgroup, block_of(w, i, j));
      rotate_rows(g, i, j, link);
      if (subgroup < 2) rotate_rows(g, i, j, w);
    }
    return link;
  }
};

// Takes the lanes whose bit is not set from another matrix.
template <int Lanes>
void keep_others(unsigned lanes, const ColourMatrix<parallel::Vector<double, Lanes>>& old,
                 ColourMatrix<parallel::Vector<double, Lanes>>& link) {
  parallel::Vector<double, Lanes> is_new{};
  for (int lane = 0; lane < Lanes; ++lane) is_new[lane] = lanes >> lane & 1;
  const auto changes = is_new != 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      link.re[i][j] = changes ? link.re[i][j] : old.re[i][j];
      link.im[i][j] = changes ? link.im[i][j] : old.im[i][j];
    }
}

}  // namespace

// Sums of staples, their product with the link, and five rotations of two rows; in a heat-bath the
// numbers of a first attempt. The links of both parities and all axes are read, and a link is
// written twice.
parallel::KernelCard sweep_card(Sweep kind) {
  constexpr double rotations = 5.0 * 3.0 * 28.0, blocks = 3.0 * 20.0;
  constexpr double draws = 3.0 * (28.0 + 2.0 * 35.0 + 2.0 * 30.0 + 30.0);
  const bool random = kind == Sweep::heat_bath;
  return {.name = random ? "heat_bath" : "over_relaxation",
          .flops = staples_flops + 198.0 + rotations + blocks + (random ? draws : 0.0),
          .bytes = 2.0 * 576.0 + 2.0 * 144.0,
          .vectorised = true};
}

HeatBath::HeatBath(UpdateFields& fields, double beta) : fields_(fields), beta_(beta) {
  const HaloBox& box = fields.links.box();
  for (int mu = 0; mu < axes; ++mu)
    for (int parity = 0; parity < 2; ++parity)
      for (int axis = 0; axis < axes; ++axis)
        if (box.domain().split(axis))
          exchanges_[mu][parity].push_back(face_exchange(
              fields.position, phases::sweep[axis], axis, subset_faces(box, axis, mu, parity),
              Regions::together, exchange::common_channel, exchange::Protocol::irecv_isend));
}

exchange::Exchanges HeatBath::exchanges() const {
  exchange::Exchanges all;
  for (const auto& of_axis : exchanges_)
    for (const exchange::Exchanges& some : of_axis) all.insert(all.end(), some.begin(), some.end());
  return all;
}

void HeatBath::sweep(Sweep kind, std::int64_t trajectory, workload::Listener& listener) {
  const double links = 0.5 * static_cast<double>(fields_.volume());
  for (int mu = 0; mu < axes; ++mu)
    for (int parity = 0; parity < 2; ++parity) {
      const Subset subset{mu, parity};
      listener.kernel(sweep_card(kind), links, [&] {
        take_links();
        update(kind, trajectory, subset);
      });
      exchange(subset, listener);
    }
}

void HeatBath::take_links() {
  if (lanes_ != fields_.lanes) list_sites();
  if (version_ != fields_.version) {
    links_.take(fields_.links.matrices(), fields_.threads);
    version_ = fields_.version;
  } else if (sent_) {
    links_.take(fields_.links.matrices(), sent_->mu,
                parities_[static_cast<std::size_t>(sent_->parity)].halo, fields_.threads);
  }
  sent_.reset();
}

void HeatBath::list_sites() {
  const HaloBox& box = fields_.links.box();
  lanes_ = fields_.lanes;
  version_ = 0;
  sites_ = std::make_shared<LaneSites>(box, 1, lanes_);
  links_ = LaneMatrices(sites_, axes);
  std::vector<std::uint8_t> odd(static_cast<std::size_t>(box.sites()));
  for_each_with_halo(box, [&](const Extents& at) {
    odd[static_cast<std::size_t>(box.index(at))] = static_cast<std::uint8_t>(parity_of(at));
  });
  const auto lanes_of = [&](std::int64_t vector, int parity) {
    unsigned lanes = 0;
    for (int lane = 0; lane < sites_->lanes(); ++lane)
      if (odd[static_cast<std::size_t>(sites_->site(vector, lane))] == parity) lanes |= 1u << lane;
    return lanes;
  };
  std::vector<bool> own(static_cast<std::size_t>(sites_->all()));
  for (int parity = 0; parity < 2; ++parity) {
    Parity& of = parities_[static_cast<std::size_t>(parity)] = {};
    for (std::int64_t number = 0; number < sites_->own(); ++number) {
      const std::int32_t vector = sites_->own_vector(number);
      own[static_cast<std::size_t>(vector)] = true;
      const unsigned lanes = lanes_of(vector, parity);
      if (lanes == 0) continue;
      of.numbers.push_back(static_cast<std::int32_t>(number));
      of.lanes.push_back(lanes);
    }
    for (std::int64_t vector = 0; vector < sites_->all(); ++vector)
      if (!own[static_cast<std::size_t>(vector)] && lanes_of(vector, parity) != 0)
        of.halo.push_back(static_cast<std::int32_t>(vector));
  }
  global_.clear();
  const Domain& domain = box.domain();
  for_each_site(domain.extents(), [&](const Extents& at) {
    global_.push_back(site_of(domain.size, domain.global(at)));
  });
}

void HeatBath::update(Sweep kind, std::int64_t trajectory, const Subset& subset) {
  const Parity& some = parities_[static_cast<std::size_t>(subset.parity)];
  const auto last = static_cast<std::int64_t>(some.numbers.size()) - 1;
  parallel::with_lanes<double>(sites_->lanes(), [&]<int Lanes>() {
    for_rows(static_cast<int>(last + 1), fields_.threads, nullptr, [&](std::int64_t i) {
      const auto place = [&](std::int64_t j) {
        return LanePlace<Lanes>(links_, sites_->own_vector(some.numbers[j]));
      };
      const LanePlace<Lanes> x = place(i);
      const auto around = staples_before(place(std::min(i + 1, last)), x, subset.mu);
      set_links<Lanes>(updated<Lanes>(kind, trajectory, subset.mu, some.numbers[i], around),
                       subset.mu, x.vector(), some.lanes[i]);
    });
  });
  sent_ = subset;
  version_ = ++fields_.version;
}

template <int Lanes>
auto HeatBath::updated(Sweep kind, std::int64_t trajectory, int mu, std::int64_t number,
                       const InLanes<Lanes>& around) const {
  LinkUpdate<Lanes> update{
      kind, beta_ / 3.0, {fields_.seed, static_cast<std::uint32_t>(trajectory), {}}};
  for (int lane = 0; lane < Lanes; ++lane)
    update.numbers.links[lane] = static_cast<std::uint64_t>(
        axes * global_[static_cast<std::size_t>(sites_->own_site(number, lane))] + mu);
  return update.updated(LanePlace<Lanes>(links_, sites_->own_vector(number)).link(mu), around);
}

// Lanes of the other parity keep their links, and are written as they are: nobody changes them now.
template <int Lanes>
void HeatBath::set_links(InLanes<Lanes> link, int mu, std::int32_t vector, unsigned lanes) {
  if constexpr (Lanes > 1)
    if (lanes != (1u << Lanes) - 1)
      keep_others<Lanes>(lanes, LanePlace<Lanes>(links_, vector).link(mu), link);
  Matrix* links[Lanes];
  point_at_links<Lanes>(*sites_, vector, mu, fields_.links.matrices(), links);
  store_links<Lanes>(link, links);
  store_lanes<Lanes>(link, links_.at(vector, mu));
}

void HeatBath::exchange(const Subset& subset, workload::Listener& listener) {
  for (const exchange::ExchangePointer& one : exchanges_[subset.mu][subset.parity]) {
    listener.start(exchange::common_channel, [&](exchange::Works& works) {
      const exchange::ItemBuffer buffer(fields_.real ? fields_.links.data() : nullptr,
                                        fields_.links.bytes());
      works.push_back({exchange::lent(one), buffer, buffer});
    });
    listener.finish(exchange::common_channel);
  }
}

}  // namespace phasewise::qcd
