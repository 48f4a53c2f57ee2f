#include "collision/mesh/mesh_choice.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "collision/slice_moments.hpp"

namespace phasewise::collision {
namespace {

// The slices share a window unless it would be wider than the widest slice by more than this
// factor.
constexpr double common_window_limit = 1.5;
// Windows move in steps of this part of their width, so that few Green functions are needed.
constexpr int snap_parts = 8;

struct Range {
  double low = INFINITY, high = -INFINITY;
  void include(double center, double half_width) {
    low = std::min(low, center - half_width);
    high = std::max(high, center + half_width);
  }
  double center() const { return 0.5 * (low + high); }
  double half_width() const { return 0.5 * (high - low); }
};

// Cell sizes are powers of 2^(1/16), so that the Green function stays the same while the beam's
// size varies by less than 4 %.
double quantised(double h) { return std::exp2(std::ceil(16.0 * std::log2(h)) / 16.0); }

// The ranges of x and y that each slice sweeps during the collision.
using SliceRanges = std::array<std::vector<std::array<Range, 2>>, 2>;

SliceRanges sweep(const InteractionPoint& ip, const std::array<CollidingBeam, 2>& beams) {
  SliceRanges ranges;
  for (int b = 0; b < 2; ++b) {
    const CollidingBeam& beam = beams[b];
    const auto& planes = beams[1 - b].cuts.plane;
    for (int s = 0; s < beam.cuts.slices(); ++s) {
      std::array<Range, 2>& range = ranges[b].emplace_back();
      for (const double z_other : {planes.front(), planes.back()}) {
        const SliceShape shape = slice_shape(beam, s, 0.5 * (beam.cuts.z[s] - z_other));
        range[0].include(shape.x, ip.mesh_extent * shape.sigma_x);
        range[1].include(shape.y, ip.mesh_extent * shape.sigma_y);
      }
    }
  }
  return ranges;
}

// The choice along one axis: cell size, origin of the window at offset 0, and the windows' offsets.
struct Axis {
  double h, origin;
  bool common;  // one window holds all slices
  std::array<std::vector<int>, 2> offset;
};

// Offsets stay so small that the difference of two also fits an int.
constexpr double farthest_window = 1 << 29;

std::string name_of(int axis) { return axis == 0 ? "x" : "y"; }

Axis choose_axis(const SliceRanges& ranges, int axis, int nodes) {
  Range all;
  double widest = 0.0;
  for (const auto& beam : ranges)
    for (const auto& slice : beam) {
      all.include(slice[axis].center(), slice[axis].half_width());
      widest = std::max(widest, slice[axis].half_width());
    }
  const double cells = nodes - 1 - 2.0 * mesh_margin;
  const int snap = std::max(1, nodes / snap_parts);
  const bool common = all.half_width() <= common_window_limit * widest;
  Axis result;
  result.common = common;
  result.h = quantised(common ? 2.0 * all.half_width() / cells : 2.0 * widest / (cells - snap));
  if (!(result.h > 0.0) || !std::isfinite(result.h))
    throw std::runtime_error("the beams have no finite size in " + name_of(axis) +
                             " at the collision, so that no mesh fits them");
  result.origin = all.center() - 0.5 * (nodes - 1) * result.h;
  for (int b = 0; b < 2; ++b)
    for (const auto& slice : ranges[b]) {
      const double steps = (slice[axis].center() - all.center()) / (result.h * snap);
      if (!(std::abs(steps) * snap < farthest_window))
        throw std::runtime_error(
            "the slices are too far apart for their size in " + name_of(axis) +
            " at the collision: more than 2^29 cells of a mesh lie between them");
      result.offset[b].push_back(common ? 0 : snap * static_cast<int>(std::lround(steps)));
    }
  return result;
}

CollisionMesh fixed_mesh(const InteractionPoint& ip, const std::array<CollidingBeam, 2>& beams) {
  const auto [wx, wy] = ip.mesh_half_width;
  const field::Mesh shared{-wx, -wy, 2.0 * wx / (ip.nx - 1), 2.0 * wy / (ip.ny - 1), ip.nx, ip.ny};
  CollisionMesh mesh{shared, {}, {shared, ip.weighting}};
  for (int b = 0; b < 2; ++b) mesh.window[b].resize(beams[b].cuts.slices());
  return mesh;
}

}  // namespace

field::GreenKey CollisionMesh::green(int beam, int own, int other, int plane) const {
  const field::Window &from = window[beam][own], &to = window[1 - beam][other];
  return {.hx = hx,
          .hy = levels.mesh(levels.of(beam, own, other + plane)).hy,
          .shift_x = to.offset_x - from.offset_x,
          .shift_y = to.offset_y - from.offset_y};
}

SliceShape slice_shape(const CollidingBeam& beam, int slice, double s) {
  const GaussianSlice shape = typical_slice(beam, slice);
  return {shape.x_at(s), shape.y_at(s), std::sqrt(std::fmax(shape.sxx_at(s), 0.0)),
          std::sqrt(std::fmax(shape.syy_at(s), 0.0))};
}

GaussianCharge expected_charge(const CollidingBeam& beam, int slice, double s) {
  const GaussianSlice shape = typical_slice(beam, slice);
  return {beam.cuts.share[slice] * beam.moments.particles,
          shape.x_at(s),
          shape.y_at(s),
          {shape.sxx_at(s), shape.sxy_at(s), shape.syy_at(s)}};
}

CollisionMesh choose_mesh(const InteractionPoint& ip, const std::array<CollidingBeam, 2>& beams) {
  if (ip.fixed_mesh) return fixed_mesh(ip, beams);
  const SliceRanges ranges = sweep(ip, beams);
  const Axis x = choose_axis(ranges, 0, ip.nx), y = choose_axis(ranges, 1, ip.ny);
  const field::Mesh shared{x.origin, y.origin, x.h, y.h, ip.nx, ip.ny};
  CollisionMesh mesh{shared, {}, {shared, ip.weighting}};
  if (y.common) mesh.levels.choose(ip, beams);
  for (int b = 0; b < 2; ++b)
    for (std::size_t s = 0; s < ranges[b].size(); ++s)
      mesh.window[b].push_back({x.offset[b][s], y.offset[b][s]});
  return mesh;
}

parallel::KernelCard mesh_card() {
  return {.name = "mesh",
          .flops = 200.0,  // three slices at two places each, 30 a place, and a logarithm
          .bytes = 100.0,
          .vectorised = false};
}

}  // namespace phasewise::collision
