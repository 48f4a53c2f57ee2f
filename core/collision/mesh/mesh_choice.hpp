// Chooses the mesh of a collision, which all slices of both beams share: fine enough for one slice
// and wide enough for all of them. If one window holds all slices, they share it; otherwise each
// slice has its own window on the mesh. If one window holds all slices in y, planes where the beams
// are flatter get finer cells in y. Along an axis where slices have windows of their own, a pair of
// slices that a window of finer cells holds gets that window: at a large Piwinski angle the slices
// at the ends of a bunch are many times wider than those that meet in its core.
#pragma once

#include <array>
#include <vector>

#include "collision/interaction_point.hpp"
#include "collision/mesh/edge_moments.hpp"
#include "collision/mesh/mesh_levels.hpp"
#include "field/green_transform.hpp"
#include "field/mesh.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::collision {

// Centre and rms size of a slice at a distance s from the reference plane, estimated from the whole
// beam's moments at the slice's z.
struct SliceShape {
  double x, y;
  double sigma_x, sigma_y;
};
SliceShape slice_shape(const CollidingBeam& beam, int slice, double s);
// The same shape as a charge with its covariance.
GaussianCharge expected_charge(const CollidingBeam& beam, int slice, double s);

// Cells beyond the wanted range on each side, for the stencil and the differences at the edge.
inline constexpr double mesh_margin = 2.0;

// The cells and the first node, along one axis, of a window that holds both slices of a pair; h = 0
// if the pair has no such window.
struct PairAxis {
  double h = 0.0, origin = 0.0;  // m
};

struct CollisionMesh : field::Mesh {
  std::array<std::vector<field::Window>, 2> window;  // of each beam's slices
  MeshLevels levels;
  int slices_2 = 1;  // number of slices of beam 2
  // [axis][slice of beam 1][slice of beam 2]; empty along an axis where all slices share a window.
  std::array<std::vector<PairAxis>, 2> pair;

  // Whether one window holds all slices.
  bool is_common() const { return pair[0].empty() && pair[1].empty(); }
  // The mesh on which a pair's slices meet, in its cells of a level.
  field::Mesh of_pair(int slice_1, int slice_2, int level) const;
  // The mesh for the charge of a beam's slice on one of the pair's planes, and its window there.
  field::Mesh mesh_of(int beam, int own, int other, int plane) const;
  field::Window window_of(int beam, int own, int other) const;
  // The Green function between the windows of a beam's slice and of the opposing one, on one of the
  // pair's planes.
  field::GreenKey green(int beam, int own, int other, int plane) const;

 private:
  // The pair's window of its own along an axis, or null.
  const PairAxis* own_axis(int axis, int slice_1, int slice_2) const;
};

CollisionMesh choose_mesh(const InteractionPoint& ip, const std::array<CollidingBeam, 2>& beams);
// One item is the choice of a level for a slice of a beam and a plane at which it meets the other
// one. All ranks make the same choices.
parallel::KernelCard mesh_card();

}  // namespace phasewise::collision
