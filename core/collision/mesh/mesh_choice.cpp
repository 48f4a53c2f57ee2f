#include "collision/mesh/mesh_choice.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "collision/passage.hpp"
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

// The first of `nodes` nodes around a centre.
double first_node(double center, int nodes, double h) { return center - 0.5 * (nodes - 1) * h; }

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

// The choice along one axis: cell size, centre of the window at offset 0, and the windows' offsets.
struct Axis {
  double h, center;
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
  result.center = all.center();
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

// How far the smallest windows of pairs reach, over what the narrowest pair needs: pairs that
// overlap then have the same cells as their neighbours.
constexpr double pair_reach = 1.25;

// Chooses, along an axis where slices have windows of their own, a window for each pair of slices
// if its cells are finer than those of the common mesh. The cells of pairs differ by octaves, and
// windows with the same cells have nodes in the same places.
class PairWindows {
 public:
  PairWindows(const InteractionPoint& ip, const std::array<CollidingBeam, 2>& beams)
      : extent_(ip.mesh_extent), beams_(beams) {
    for (int b = 0; b < 2; ++b)
      for (int s = 0; s < beams[b].cuts.slices(); ++s)
        shape_[b].push_back(typical_slice(beams[b], s));
  }

  std::vector<PairAxis> along(int axis, int nodes, double common_h) const {
    std::vector<Range> ranges;
    double least = INFINITY;
    for (int i = 0; i < std::ssize(shape_[0]); ++i)
      for (int j = 0; j < std::ssize(shape_[1]); ++j) {
        Range& both = ranges.emplace_back();
        include(both, axis, 0, i, j);
        include(both, axis, 1, j, i);
        least = std::min(least, both.half_width());
      }
    // One cell less, since windows are moved to nodes.
    const double finest = quantised(2.0 * pair_reach * least / (nodes - 2 - 2.0 * mesh_margin));
    std::vector<PairAxis> result;
    result.reserve(ranges.size());
    for (const Range& range : ranges) {
      const double octaves = std::ceil(std::log2(range.half_width() / (pair_reach * least)));
      const double h = finest * std::exp2(std::fmax(octaves, 0.0));
      const bool finer = h < common_h;
      result.push_back(finer ? PairAxis{h, h * std::round(first_node(range.center(), nodes, h) / h)}
                             : PairAxis{});
    }
    return result;
  }

 private:
  // Includes what a slice sweeps between the first and the last meeting of two particles that are
  // within the planes of both slices.
  void include(Range& range, int axis, int beam, int own, int other) const {
    const auto &mine = beams_[beam].cuts.plane, &theirs = beams_[1 - beam].cuts.plane;
    const GaussianSlice& slice = shape_[beam][own];
    for (const double s : {meeting_distance(mine[own], theirs[other + 1]),
                           meeting_distance(mine[own + 1], theirs[other])}) {
      const double variance = axis == 0 ? slice.sxx_at(s) : slice.syy_at(s);
      range.include(axis == 0 ? slice.x_at(s) : slice.y_at(s),
                    extent_ * std::sqrt(std::fmax(variance, 0.0)));
    }
  }

  double extent_;
  const std::array<CollidingBeam, 2>& beams_;
  std::array<std::vector<GaussianSlice>, 2> shape_;
};

// The axes of the pairs of slices, where they do not share one.
std::array<std::vector<PairAxis>, 2> pair_axes(const InteractionPoint& ip,
                                               const std::array<CollidingBeam, 2>& beams,
                                               const Axis& x, const Axis& y) {
  if (x.common && y.common) return {};
  const PairWindows windows(ip, beams);
  return {x.common ? std::vector<PairAxis>{} : windows.along(0, ip.nx, x.h),
          y.common ? std::vector<PairAxis>{} : windows.along(1, ip.ny, y.h)};
}

bool have_own(const std::vector<PairAxis>& pairs) {
  return std::ranges::any_of(pairs, [](const PairAxis& axis) { return axis.h > 0.0; });
}

CollisionMesh fixed_mesh(const InteractionPoint& ip, const std::array<CollidingBeam, 2>& beams) {
  const auto [wx, wy] = ip.mesh_half_width;
  const field::Mesh shared{-wx, -wy, 2.0 * wx / (ip.nx - 1), 2.0 * wy / (ip.ny - 1), ip.nx, ip.ny};
  CollisionMesh mesh{shared, {}, {shared, ip.weighting}, ip.slices[1], {}};
  for (int b = 0; b < 2; ++b) mesh.window[b].resize(beams[b].cuts.slices());
  return mesh;
}

}  // namespace

const PairAxis* CollisionMesh::own_axis(int axis, int slice_1, int slice_2) const {
  if (pair[axis].empty()) return nullptr;
  const PairAxis& found = pair[axis][static_cast<std::size_t>(slice_1) * slices_2 + slice_2];
  return found.h > 0.0 ? &found : nullptr;
}

field::Mesh CollisionMesh::of_pair(int slice_1, int slice_2, int level) const {
  field::Mesh mesh = levels.mesh(level);
  if (const PairAxis* x = own_axis(0, slice_1, slice_2)) {
    mesh.hx = x->h;
    mesh.origin_x = x->origin;
  }
  if (const PairAxis* y = own_axis(1, slice_1, slice_2)) {
    mesh.hy = y->h;
    mesh.origin_y = y->origin;
  }
  return mesh;
}

field::Mesh CollisionMesh::mesh_of(int beam, int own, int other, int plane) const {
  const int level = levels.of(beam, own, other + plane);
  return beam == 0 ? of_pair(own, other, level) : of_pair(other, own, level);
}

field::Window CollisionMesh::window_of(int beam, int own, int other) const {
  field::Window result = window[beam][own];
  const int slice_1 = beam == 0 ? own : other, slice_2 = beam == 0 ? other : own;
  if (own_axis(0, slice_1, slice_2) != nullptr) result.offset_x = 0;
  if (own_axis(1, slice_1, slice_2) != nullptr) result.offset_y = 0;
  return result;
}

field::GreenKey CollisionMesh::green(int beam, int own, int other, int plane) const {
  const field::Window from = window_of(beam, own, other), to = window_of(1 - beam, other, own);
  const field::Mesh mesh = mesh_of(beam, own, other, plane);
  return {.hx = mesh.hx,
          .hy = mesh.hy,
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
  std::array<std::vector<PairAxis>, 2> pair = pair_axes(ip, beams, x, y);
  field::Mesh shared{
      first_node(x.center, ip.nx, x.h), first_node(y.center, ip.ny, y.h), x.h, y.h, ip.nx, ip.ny};
  MeshLevels levels(shared, ip.weighting);
  if (y.common) {
    const Heights heights(ip, beams, shared.origin_y + 0.5 * (ip.ny - 1) * y.h);
    // Where slices cross at an angle they meet near the waist only.
    const double fitted = have_own(pair[0]) ? levels.fitted_cells(heights) : y.h;
    if (fitted > y.h) {
      shared.hy = quantised(fitted);
      shared.origin_y = first_node(y.center, ip.ny, shared.hy);
      levels = MeshLevels(shared, ip.weighting);
    }
    levels.choose(heights);
  }
  CollisionMesh mesh{shared, {}, std::move(levels), ip.slices[1], std::move(pair)};
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
