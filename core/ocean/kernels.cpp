#include "ocean/kernels.hpp"

#include <string_view>

namespace phasewise::ocean {
namespace {

// Flops were counted in the source: a choice of one of two values with its comparison is one.
// Bytes are those of a field that is read or written once: neighbours are found in a cache.
struct Work {
  double flops, values;  // values of 8 B to and from memory
  double loops;          // over a row
};

constexpr double value_bytes = 8.0;

// Vectors lie along x. The plain kernel goes down one column after the other.
parallel::KernelCard vector_card(std::string_view name, const Work& work, double row) {
  return {.name = name,
          .flops = work.flops,
          .bytes = work.values * value_bytes,
          .vectorised = true,
          .trip = row,
          .loops = work.loops / row};
}

parallel::KernelCard column_card(std::string_view name, const Work& work) {
  return {
      .name = name, .flops = work.flops, .bytes = work.values * value_bytes, .vectorised = false};
}

parallel::KernelCard card_of(const CardShape& shape, std::string_view fast, std::string_view plain,
                             const Work& work) {
  return shape.kernel == Kernel::fast ? vector_card(fast, work, shape.row)
                                      : column_card(plain, work);
}

}  // namespace

parallel::KernelCard extrapolate_card(const CardShape& shape) {
  return card_of(shape, "extrapolate", "extrapolate_plain", {6.0, 6.0, 1.0});
}
parallel::KernelCard momentum_card(const CardShape& shape) {
  return card_of(shape, "momentum", "momentum_plain", {177.0, 10.0, 2.0});
}
parallel::KernelCard friction_card(const CardShape& shape) {
  return card_of(shape, "friction", "friction_plain", {25.0, 4.0, 2.0});
}
parallel::KernelCard integrate_card(const CardShape& shape) {
  return card_of(shape, "integrate", "integrate_plain", {10.0, 4.0, 1.0});
}
parallel::KernelCard correct_card(const CardShape& shape) {
  return card_of(shape, "correct", "correct_plain", {10.0, 8.0, 1.0});
}
parallel::KernelCard tracers_card(const CardShape& shape) {
  return card_of(shape, "tracers", "tracers_plain", {258.0, 8.0, 2.0});
}
parallel::KernelCard mixing_card(const CardShape& shape) {
  return card_of(shape, "mixing", "mixing_plain", {28.0, 4.0, 2.0});
}

parallel::KernelCard operator_card() {
  return {.name = "operator", .flops = 90.0, .bytes = 6.0 * value_bytes, .vectorised = false};
}
parallel::KernelCard right_side_card(const CardShape& shape) {
  return vector_card("right_side", {81.0, 9.0, 2.0}, shape.row);
}
parallel::KernelCard surface_card(const CardShape& shape) {
  return vector_card("surface", {59.0, 14.0, 2.0}, shape.row);
}
parallel::KernelCard measure_card(const CardShape& shape) {
  return vector_card("measure", {15.0, 4.0, 1.0}, shape.row);
}

}  // namespace phasewise::ocean
