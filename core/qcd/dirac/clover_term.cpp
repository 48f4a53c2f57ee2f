#include "qcd/dirac/clover_term.hpp"

#include <algorithm>
#include <cmath>

#include "parallel/loops.hpp"
#include "qcd/dirac/lane_blocks.hpp"
#include "qcd/gauge/leaves.hpp"

namespace phasewise::qcd {
namespace {

// Both blocks of a site come from six planes; those of an odd site are inverted by elimination.
constexpr double clover_block_flops = 2.0 * 6.0 * 2.0 * 9.0 * 4.0;
constexpr double inverse_flops = 2.0 * 6.0 * 6.0 * 12.0 * 8.0;

// What a block of threads found.
struct FoundInBlock {
  double largest = 0.0;
  std::int64_t singular = -1;
};

template <int Lanes>
class BlockMaker {
 public:
  using V = Vector<double, Lanes>;

  const QuarkAction& action;
  const Links& links;
  const LinkSites& sites;
  const FieldSites& of_field;

  // The blocks of a vector of sites of either parity.
  void blocks(int parity, std::int64_t vector, LaneBlock<V> (&found)[2]) const {
    const std::int32_t* numbers = of_field.sites(parity, vector);
    std::array<std::int32_t, Lanes> at;
    for (int lane = 0; lane < Lanes; ++lane)
      at[lane] = sites.own()[static_cast<std::size_t>(numbers[lane])];
    const SiteLanes<Lanes> x(sites, links.matrices(), at);
    ColourMatrix<V> strength[planes];
    int plane = 0;
    for (int mu = 0; mu < axes; ++mu)
      for (int nu = mu + 1; nu < axes; ++nu) strength[plane++] = clover_strength(x, mu, nu);
    for (int chirality = 0; chirality < 2; ++chirality)
      found[chirality] =
          clover_block<V>(chirality, action.diagonal(), strength, action.plane_weights());
  }

  // Stores the inverse, and returns |det|² of both chiralities.
  V invert(const LaneBlock<V> (&blocks)[2], std::int64_t vector, double* to,
           FoundInBlock& found) const {
    const double mu = action.twisted_mass;
    V determinant = V{} + 1.0;
    for (int chirality = 0; chirality < 2; ++chirality) {
      const LaneInverse<Lanes> inverted =
          inverse<Lanes>(mu == 0.0 ? blocks[chirality] : squared<V>(blocks[chirality], mu));
      store_block<Lanes>(inverted.inverse, to + chirality * block_reals * Lanes);
      determinant *= inverted.squared_determinant;
      const V bound = squared_norm_bound<V>(inverted.inverse);
      for (int lane = 0; lane < Lanes; ++lane) {
        // (A + iµ)⁻¹ = (A² + µ²)⁻¹ (A - iµ), whose norm squared is that of (A² + µ²)⁻¹.
        const double size = std::sqrt(parallel::lane_of<double, Lanes>(bound, lane));
        found.largest = std::max(found.largest, mu == 0.0 ? size : std::sqrt(size));
        if (parallel::lane_of<double, Lanes>(inverted.singular, lane) != 0.0)
          found.singular = of_field.sites(1, vector)[lane];
      }
    }
    return determinant;
  }
};

}  // namespace

parallel::KernelCard clover_blocks_card() {
  return {.name = "clover_blocks",
          .flops = planes * clover_strength_flops + clover_block_flops + 0.5 * inverse_flops,
          .bytes = 576.0 + 1.5 * 576.0,
          .vectorised = true};
}

parallel::KernelCard clover_convert_card() {
  return {
      .name = "clover_convert", .flops = 0.0, .bytes = 1.5 * (576.0 + 288.0), .vectorised = false};
}

template <class Real>
void CloverTerm<Real>::allocate(const Hopping<Real>& kernel) {
  if (sites_.lanes() == kernel.lanes()) return;
  sites_ = FieldSites(kernel);
  const std::int64_t reals = volume_of(kernel.shape().box) / 2 * site_block_reals;
  for (parallel::Buffer<Real>* blocks : {&blocks_[0], &blocks_[1], &odd_inverse_})
    *blocks = parallel::Buffer<Real>(reals);
  determinants_ = parallel::Buffer<double>(reals / site_block_reals);
}

template <>
void CloverTerm<double>::make(const QuarkAction& action, const Links& links, const LinkSites& sites,
                              const Hopping<double>& kernel) {
  allocate(kernel);
  const int threads = kernel.shape().threads;
  const std::int64_t vectors = sites_.vectors();
  std::vector<FoundInBlock> of_block(
      static_cast<std::size_t>((vectors + parallel::block_size - 1) / parallel::block_size));
  parallel::with_lanes<double>(kernel.lanes(), [&]<int Lanes>() {
    const BlockMaker<Lanes> maker{action, links, sites, sites_};
    constexpr std::int64_t reals = std::int64_t{site_block_reals} * Lanes;
    parallel::for_blocks(vectors, threads, [&](std::int64_t begin, int n, int) {
      FoundInBlock& found = of_block[static_cast<std::size_t>(begin / parallel::block_size)];
      for (std::int64_t vector = begin; vector < begin + n; ++vector)
        for (int parity = 0; parity < 2; ++parity) {
          LaneBlock<Vector<double, Lanes>> blocks[2];
          maker.blocks(parity, vector, blocks);
          for (int chirality = 0; chirality < 2; ++chirality)
            store_block<Lanes>(blocks[chirality], blocks_[parity].data() + vector * reals +
                                                      chirality * block_reals * Lanes);
          if (parity == 1)
            store_vector<double, Lanes>(
                determinants_.data() + vector * Lanes,
                maker.invert(blocks, vector, odd_inverse_.data() + vector * reals, found));
        }
    });
  });
  largest_inverse_ = 0.0;
  singular_.reset();
  const Domain& domain = links.domain();
  for (const FoundInBlock& found : of_block) {
    largest_inverse_ = std::max(largest_inverse_, found.largest);
    if (found.singular >= 0)
      singular_ =
          site_of(domain.size, domain.global(coordinates_of(domain.extents(), found.singular)));
  }
}

template <class Real>
void CloverTerm<Real>::convert(const CloverTerm<double>& other, const Hopping<double>& before,
                               const Hopping<Real>& kernel) {
  allocate(kernel);
  const int old_lanes = before.lanes(), new_lanes = kernel.lanes();
  const Extents box = kernel.shape().box;
  parallel::for_blocks(volume_of(box), kernel.shape().threads, [&](std::int64_t begin, int n, int) {
    for (std::int64_t site = begin; site < begin + n; ++site) {
      const Extents at = coordinates_of(box, site);
      const int parity = parity_of(at);
      const auto first = [&](std::int64_t place, int lanes) {
        return (place - place % lanes) / spinor_reals * site_block_reals + place % lanes;
      };
      const std::int64_t from = first(before.place(at), old_lanes);
      const std::int64_t to = first(kernel.place(at), new_lanes);
      const auto take = [&](const double* old, Real* converted) {
        for (int i = 0; i < site_block_reals; ++i)
          converted[to + i * new_lanes] = static_cast<Real>(old[from + i * old_lanes]);
      };
      take(other.blocks(parity), blocks_[parity].data());
      if (parity == 1) take(other.odd_inverse(), odd_inverse_.data());
    }
  });
  largest_inverse_ = other.largest_inverse();
  singular_ = other.singular();
}

template class CloverTerm<double>;
template class CloverTerm<float>;

}  // namespace phasewise::qcd
