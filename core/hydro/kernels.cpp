#include "hydro/kernels.hpp"

#include "hydro/pencil_geometry.hpp"

namespace phasewise::hydro {
namespace {

// Flops of a zone in planar coordinates, as counted by a type of number that counts them. A
// division and a square root are a flop, and so is the choice of one of two values with the
// comparison that it depends on; a fused product and sum are two.
//
// Divisions and square roots: 10 and 16 of Riemann's problem with eight steps (1 and 2 of a step),
// 6 and 1 of the rest. On AMD Zen 1 a division or a square root of a vector takes as long as four
// products.
constexpr double ppm_flops = 122.0, lagrange_flops = 34.0;
constexpr double remap_flops = 56.0, remap_flops_of_quantity = 38.5;
constexpr double riemann_flops = 20.0, newton_flops = 28.0, convergence_flops = 5.0;

// What the geometry of an axis adds.
struct GeometryFlops {
  double ppm, lagrange, remap;
};
GeometryFlops geometry_flops(Geometry geometry) {
  switch (shape_of(geometry)) {
    case Shape::cylinder:
      return {14.0, 6.0, 3.0};
    case Shape::sphere:
      return {14.0, 10.0, 5.0};
    case Shape::polar:
      return {15.0, 28.0, 14.0};
    default:
      return {0.0, 0.0, 0.0};
  }
}

// A plain loop takes the zones of a pencil. A fast one takes those of all pencils of a batch: the
// temporaries hold the whole batch, so that no iteration needs another one.
parallel::KernelCard card_of(const SweepShape& shape, std::string_view name, double flops,
                             double bytes, double loops) {
  const double pencils = shape.kernel == Kernel::plain ? 1 : shape.batch;
  const double trip = shape.zones * pencils;
  return {.name = name,
          .flops = flops,
          .bytes = bytes,
          .vectorised = true,
          .trip = trip,
          .loops = loops / trip};
}

constexpr double value_bytes = 8.0;

}  // namespace

SweepShape sweep_shape(const SweepSetting& setting, int direction) {
  const Axis& axis = setting.grid.axes[direction];
  return {.geometry = axis.geometry,
          .zones = axis.zones,
          .velocities = setting.grid.dimensions() == 3 ? 3 : 2,
          .batch = setting.batch,
          .kernel = setting.kernel,
          .riemann = setting.riemann};
}

// Six values are read; the temporaries of a batch stay in the cache.
parallel::KernelCard load_card(const SweepShape& shape) {
  return card_of(shape, "load", 0.0, field::count * value_bytes, 6.0);
}

parallel::KernelCard ppm_card(const SweepShape& shape) {
  return card_of(shape, "ppm", ppm_flops + geometry_flops(shape.geometry).ppm, 0.0, 2.0);
}

parallel::KernelCard riemann_card(const SweepShape& shape) {
  const double steps = shape.riemann == Riemann::newton_8 ? 8.0 : shape.newton_steps;
  const double each =
      newton_flops + (shape.riemann == Riemann::converged ? convergence_flops : 0.0);
  return card_of(shape, "riemann", riemann_flops + steps * each, 0.0, 1.0);
}

parallel::KernelCard lagrange_card(const SweepShape& shape) {
  return card_of(shape, "lagrange", lagrange_flops + geometry_flops(shape.geometry).lagrange, 0.0,
                 2.0);
}

// Six values are written.
parallel::KernelCard remap_card(const SweepShape& shape) {
  const double flops = remap_flops + remap_flops_of_quantity * (2.0 + shape.velocities);
  return card_of(shape, "remap", flops + geometry_flops(shape.geometry).remap,
                 field::count * value_bytes, 2.0);
}

parallel::KernelCard sweep_card(const SweepShape& shape) {
  parallel::KernelCard sum =
      card_of(shape, shape.kernel == Kernel::plain ? "sweep_plain" : "sweep", 0.0, 0.0, 0.0);
  for (const auto& card : {load_card(shape), ppm_card(shape), riemann_card(shape),
                           lagrange_card(shape), remap_card(shape)}) {
    sum.flops += card.flops;
    sum.bytes += card.bytes;
    sum.loops += card.loops;
  }
  sum.touched = field::count * value_bytes;
  return sum;
}

// Geometry of a pencil, its ghost zones and the starts of its loops, on a scalar processor.
parallel::KernelCard between_loops_card() {
  return {.name = "between_loops", .flops = 300.0, .bytes = 0.0, .vectorised = false};
}

// A division and a square root for the speed of sound; for each axis a magnitude, two choices and
// two products.
parallel::KernelCard courant_card(const Grid& grid) {
  const double axes = grid.dimensions();
  return {.name = "courant",
          .flops = 3.0 + 5.0 * axes,
          .bytes = (2.0 + axes) * value_bytes,
          .vectorised = true,
          .trip = static_cast<double>(grid.zones_along(0)),
          .loops = 1.0 / grid.zones_along(0)};
}

// Integrals of five quantities, with five values read and five written to the cache.
parallel::KernelCard diagnose_card(const Grid& grid) {
  return {.name = "diagnose",
          .flops = 19.0,
          .bytes = 5.0 * value_bytes,
          .vectorised = true,
          .trip = static_cast<double>(grid.zones_along(0)),
          .loops = 1.0 / grid.zones_along(0)};
}

}  // namespace phasewise::hydro
