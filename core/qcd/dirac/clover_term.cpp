#include "qcd/dirac/clover_term.hpp"

#include <algorithm>
#include <cmath>

#include "qcd/dirac/lane_blocks.hpp"
#include "qcd/dirac/lane_pairs.hpp"
#include "qcd/gauge/leaves.hpp"
#include "qcd/row_tasks.hpp"
#include "qcd/sub_boxes.hpp"

namespace phasewise::qcd {
namespace {

// Both blocks of a site come from six planes; those of an odd site are inverted by elimination.
constexpr double clover_block_flops = 2.0 * 6.0 * 2.0 * 9.0 * 4.0;
constexpr double inverse_flops = 2.0 * 6.0 * 6.0 * 6.0 * 8.0;

struct FoundInVector {
  double largest = 0.0;
  std::int64_t singular = -1;
};

template <int Lanes>
using SiteBlocks = std::array<LaneBlock<Vector<double, Lanes>>, 2>;  // of each chirality

// Vector 2 v + x of the links has the sites of vector v of the fields with an even or odd x in
// their sub-boxes; which parity that is depends on the sub-box.
template <int Lanes>
class BlockMaker {
 public:
  using V = Vector<double, Lanes>;

  BlockMaker(const QuarkAction& action, const LaneMatrices& links, const SubBoxes& boxes)
      : action_(action), links_(links), boxes_(boxes) {
    for (int lane = 0; lane < Lanes; ++lane) {
      odd_[lane] = boxes.parity(lane) == 1;
      uniform_ = uniform_ && !odd_[lane];
    }
  }

  // The blocks of the sites of both parities.
  void blocks(std::int64_t vector, SiteBlocks<Lanes> (&of_parity)[2]) const {
    const int base = base_of(vector);
    for (int x = 0; x < 2; ++x) at_place(2 * vector + x, of_parity[base ^ x]);
    if (uniform_) return;
    for (int chirality = 0; chirality < 2; ++chirality)
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
          exchange(of_parity[0][chirality].re[i][j], of_parity[1][chirality].re[i][j]);
          exchange(of_parity[0][chirality].im[i][j], of_parity[1][chirality].im[i][j]);
        }
  }

  // Stores the inverse, and returns |det|² of both chiralities.
  V invert(const SiteBlocks<Lanes>& blocks, std::int64_t vector, double* to,
           FoundInVector& found) const {
    const double mu = action_.twisted_mass;
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
          found.singular = odd_site(vector, lane);
      }
    }
    return determinant;
  }

 private:
  // The parity of the sites of vector 2 v in sub-boxes that begin on even sites.
  int base_of(std::int64_t vector) const {
    const Extents in = coordinates_of(
        {boxes_.inner[0] / 2, boxes_.inner[1], boxes_.inner[2], boxes_.inner[3]}, vector);
    return (in[1] + in[2] + in[3]) & 1;
  }
  std::int64_t odd_site(std::int64_t vector, int lane) const {
    const int x = base_of(vector) ^ (odd_[lane] ? 0 : 1);
    return links_.sites().own_site(2 * vector + x, lane);
  }

  void at_place(std::int64_t number, SiteBlocks<Lanes>& found) const {
    const LanePlace<Lanes> place(links_, links_.sites().own_vector(number));
    ColourMatrix<V> strength[planes];
    int plane = 0;
    for (int mu = 0; mu < axes; ++mu)
      for (int nu = mu + 1; nu < axes; ++nu) strength[plane++] = clover_strength(place, mu, nu);
    for (int chirality = 0; chirality < 2; ++chirality)
      found[chirality] =
          clover_block<V>(chirality, action_.diagonal(), strength, action_.plane_weights());
  }

  // Exchanges the lanes of sub-boxes that begin on odd sites.
  void exchange(V& even, V& odd) const {
    if constexpr (Lanes > 1)
      for (int lane = 0; lane < Lanes; ++lane)
        if (odd_[lane]) {
          const double kept = even[lane];
          even[lane] = odd[lane];
          odd[lane] = kept;
        }
  }

  const QuarkAction& action_;
  const LaneMatrices& links_;
  const SubBoxes& boxes_;
  std::array<bool, Lanes> odd_{};
  bool uniform_ = true;
};

}  // namespace

parallel::KernelCard clover_blocks_card() {
  return {.name = "clover_blocks",
          .flops = planes * clover_strength_flops + clover_block_flops + 0.5 * inverse_flops,
          .bytes = 2.0 * 576.0 + 1.5 * 576.0,
          .vectorised = true};
}

parallel::KernelCard clover_convert_card() {
  return {
      .name = "clover_convert", .flops = 0.0, .bytes = 1.5 * (576.0 + 288.0), .vectorised = true};
}

template <class Real>
void CloverTerm<Real>::allocate(const Hopping<Real>& kernel) {
  const std::int64_t reals = volume_of(kernel.shape().box) / 2 * site_block_reals;
  if (odd_inverse_.size() == reals) return;
  for (parallel::Buffer<Real>* blocks : {&blocks_[0], &blocks_[1], &odd_inverse_})
    *blocks = parallel::Buffer<Real>(reals);
  determinants_ = parallel::Buffer<double>(reals / site_block_reals);
}

template <>
void CloverTerm<double>::make(const QuarkAction& action, const Domain& domain,
                              const LaneMatrices& links, const Hopping<double>& kernel) {
  allocate(kernel);
  const SubBoxes boxes = SubBoxes::cut(domain.extents(), kernel.lanes());
  const std::int64_t vectors = boxes.vectors();
  std::vector<FoundInVector> of_vector(static_cast<std::size_t>(vectors));
  parallel::with_lanes<double>(kernel.lanes(), [&]<int Lanes>() {
    const BlockMaker<Lanes> maker(action, links, boxes);
    constexpr std::int64_t reals = std::int64_t{site_block_reals} * Lanes;
    for_rows(static_cast<int>(vectors), kernel.shape().threads, {}, [&](std::int64_t vector) {
      SiteBlocks<Lanes> blocks[2];
      maker.blocks(vector, blocks);
      for (int parity = 0; parity < 2; ++parity)
        for (int chirality = 0; chirality < 2; ++chirality)
          store_block<Lanes>(blocks[parity][chirality], blocks_[parity].data() + vector * reals +
                                                            chirality * block_reals * Lanes);
      store_vector<double, Lanes>(
          determinants_.data() + vector * Lanes,
          maker.invert(blocks[1], vector, odd_inverse_.data() + vector * reals,
                       of_vector[static_cast<std::size_t>(vector)]));
    });
  });
  largest_inverse_ = 0.0;
  singular_.reset();
  for (const FoundInVector& found : of_vector) {
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
  for (int parity = 0; parity < 2; ++parity)
    convert_data<site_block_reals>(before, other.blocks(parity), kernel, blocks_[parity].data());
  convert_data<site_block_reals>(before, other.odd_inverse(), kernel, odd_inverse_.data());
  largest_inverse_ = other.largest_inverse();
  singular_ = other.singular();
}

template class CloverTerm<double>;
template class CloverTerm<float>;

}  // namespace phasewise::qcd
