#include "sphere/kernels.hpp"

#include <cmath>

#include "numerics/fft.hpp"
#include "sphere/spectral.hpp"

namespace phasewise::sphere {
namespace {

// A row of complex values is transformed, and its columns are moved, 4 M doubles in and out: their
// sums and differences take 8 flops, and factors 4.
parallel::KernelCard row_card(const Description& description, std::string_view name,
                              double more_flops, double more_bytes) {
  const double n = description.longitudes, columns = description.truncation + 1.0;
  return {.name = name,
          .flops = numerics::transform_flops(n) + 12.0 * columns + more_flops * n,
          .bytes = 64.0 * columns + more_bytes * n,
          .vectorised = true,
          .trip = n / 4.0,
          .loops = std::log2(n)};
}

// The share of the functions at latitudes where all degrees of a wavenumber are negligible, which
// products leave out. If the functions ended abruptly at cos φ = m / l it were 4/π ∫ (1 - x) asin x
// dx = 0.227 over x = m / M. Their tails make it less; this fit is within 0.003 of counts for T42
// to T680.
double left_out(const Description& description) {
  return 0.227 * std::exp(-std::pow(213.0 / description.truncation, 0.7));
}

// A wavenumber has (M + 4) / 2 degrees in the mean, which share a pair's columns, and the pairs
// share the coefficients of a degree. Two degrees share a function that is kept, 8 B; those that
// are not kept take 4 flops each. In each group every second row is combined with another one by 3
// flops.
parallel::KernelCard product_card(const Description& description, std::string_view name, int fields,
                                  double more_flops, double longest_sum, double groups = 1.0) {
  const double width = static_cast<double>(ColumnLayout{fields, description.levels}.width());
  const double used = 1.0 - left_out(description);
  const double per_pair = width / (description.truncation + 4.0),
               per_degree = width / description.pairs();
  parallel::KernelCard card{
      .name = name,
      .flops = used * 2.0 * width + 1.5 * groups * per_degree + more_flops +
               (description.table ? 0.0 : 4.0),
      .bytes = (description.table ? used * 4.0 : 0.0) + 32.0 * per_pair + 8.0 * per_degree,
      .vectorised = true,
      .trip = 2.0 * width,
      .loops = 0.5};
  if (description.manner.kernel == Kernel::plain) {
    card.trip = longest_sum;
    card.loops = width / longest_sum;
  }
  return card;
}

}  // namespace

// A product at both latitudes takes 6.4 flops in the mean of the five (Turn::fill_products); it
// reads two fields, 32 B, and stays in the cache.
parallel::KernelCard forward_card(const Description& description, bool products) {
  return products ? row_card(description, "forward", 6.4, 32.0)
                  : row_card(description, "forward", 0.0, 16.0);
}

parallel::KernelCard backward_card(const Description& description) {
  return row_card(description, "backward", 0.0, 16.0);
}

// Combining five products to three fields takes 10 flops a value, and adding it without rounding 7.
parallel::KernelCard analysis_card(const Description& description, int groups) {
  const double values = static_cast<double>(state_width(description.levels));
  const double pairs = description.pairs(), flops = groups > 1 ? 17.0 : 10.0;
  return product_card(description, "analysis", products::fields, flops * values * groups / pairs,
                      pairs / groups, groups);
}

parallel::KernelCard analysis_of_fields_card(const Description& description, int fields) {
  return product_card(description, "analysis", fields, 0.0, description.pairs());
}

parallel::KernelCard synthesis_card(const Description& description, int fields) {
  return product_card(description, "synthesis", fields, 0.0, (description.truncation + 3.0) / 4.0);
}

}  // namespace phasewise::sphere
