#include "sphere/kernels.hpp"

#include <cmath>

#include "numerics/fft.hpp"
#include "sphere/spectral.hpp"

namespace phasewise::sphere {
namespace {

// A row of complex values is transformed, and its columns are moved: 4 M doubles in and out.
parallel::KernelCard row_card(const Description& description, std::string_view name,
                              double more_flops, double more_bytes) {
  const double n = description.longitudes, columns = description.truncation + 1.0;
  return {.name = name,
          .flops = numerics::transform_flops(n) + 8.0 * columns + more_flops * n,
          .bytes = 64.0 * columns + more_bytes * n,
          .vectorised = true,
          .trip = n / 4.0,
          .loops = std::log2(n)};
}

parallel::KernelCard product_card(const Description& description, std::string_view name, int fields,
                                  double more_flops) {
  const double width = ColumnLayout{fields, description.levels}.width();
  const double per_function = 8.0 * width / (description.truncation + 1.0);
  parallel::KernelCard card{.name = name,
                            .flops = 2.0 * width + more_flops,
                            .bytes = (description.table ? 8.0 : 0.0) + 2.0 * per_function,
                            .vectorised = true,
                            .trip = width,
                            .loops = 1.0};
  if (description.manner.kernel == Kernel::plain) {
    card.trip = description.pairs();
    card.loops = width / description.pairs();
  }
  return card;
}

}  // namespace

// A product of two numbers at both latitudes, and what all five have in common, takes 5 flops; a
// row reads two fields, 32 B, and stays in the cache.
parallel::KernelCard forward_card(const Description& description) {
  return row_card(description, "forward", 5.0, 32.0);
}

parallel::KernelCard backward_card(const Description& description) {
  return row_card(description, "backward", 0.0, 16.0);
}

// Adding a value without rounding takes 7 flops, and combining five products to three fields 10.
parallel::KernelCard analysis_card(const Description& description, double group_share) {
  const double values = static_cast<double>(state_width(description.levels));
  return product_card(description, "analysis", products::fields, 17.0 * values * group_share);
}

parallel::KernelCard synthesis_card(const Description& description) {
  return product_card(description, "synthesis", grid::fields, 0.0);
}

// Each of six numbers of a coefficient takes some 8 flops; three states are read, one is written.
parallel::KernelCard advance_card() {
  return {.name = "advance", .flops = 48.0, .bytes = 192.0, .vectorised = true};
}

// The products of depth, winds and vorticity that the invariants are sums of; four fields are read.
parallel::KernelCard diagnose_card() {
  return {.name = "diagnose", .flops = 20.0, .bytes = 32.0, .vectorised = true};
}

}  // namespace phasewise::sphere
