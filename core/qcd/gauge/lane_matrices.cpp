#include "qcd/gauge/lane_matrices.hpp"

namespace phasewise::qcd {
namespace {

template <int Lanes>
void copy_to_lanes(const LaneSites& sites, int each, const Matrix* from, std::int64_t vector,
                   int which, double* to) {
  const Matrix* links[Lanes];
  for (int lane = 0; lane < Lanes; ++lane)
    links[lane] = from + static_cast<std::int64_t>(each) * sites.site(vector, lane) + which;
  store_lanes<Lanes>(load_links<Lanes>(links), to);
}

}  // namespace

void LaneMatrices::take(const Matrix* from, int threads) {
  if (reals_.size() == 0) reals_ = parallel::Buffer<double>(place(sites_->all(), 0));
  parallel::with_lanes<double>(sites_->lanes(), [&]<int Lanes>() {
    for_rows(static_cast<int>(sites_->all()), threads, nullptr, [&](std::int64_t vector) {
      for (int which = 0; which < each_; ++which)
        copy_to_lanes<Lanes>(*sites_, each_, from, vector, which, at(vector, which));
    });
  });
}

void LaneMatrices::take(const Matrix* from, int which, std::span<const std::int32_t> vectors,
                        int threads) {
  parallel::with_lanes<double>(sites_->lanes(), [&]<int Lanes>() {
    for_rows(static_cast<int>(vectors.size()), threads, nullptr, [&](std::int64_t i) {
      const std::int32_t vector = vectors[static_cast<std::size_t>(i)];
      copy_to_lanes<Lanes>(*sites_, each_, from, vector, which, at(vector, which));
    });
  });
}

}  // namespace phasewise::qcd
