// Meshes that are finer in y where the beams are flatter. The hourglass lets a beam of small β* be
// many times as high at the ends of a long collision as at the waist. Level m halves the cells of
// the common mesh m times around the same centre and keeps their number. Which level a plane of the
// collision takes depends only on the slice that makes the field and on the plane, so that
// neighbouring slices, which share the plane, meet the same field there.
//
// The nodes of neighbouring levels stand such that the weights with which a particle would be put
// on the coarser one are sums of those on the finer one (B-splines are sums of B-splines of half
// the width; C. de Boor, "A Practical Guide to Splines" (2001), chapter IX): a charge can be taken
// to a coarser level from its nodes alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collision/interaction_point.hpp"
#include "collision/weighting.hpp"
#include "field/mesh.hpp"

namespace phasewise::collision {

class MeshLevels {
 public:
  MeshLevels() = default;
  // All on level 0, that is on the mesh itself.
  MeshLevels(const field::Mesh& mesh, Weighting weighting) : mesh_(mesh), weighting_(weighting) {}

  // Takes the finest level for each plane that holds ± mesh_extent rms of both slices around it.
  void choose(const InteractionPoint& ip, const std::array<CollidingBeam, 2>& beams);

  // Level of the mesh for the charge of a beam's slice on a plane of the opposing beam: its
  // boundary between slices, or its slice's centroid if there is one plane per slice.
  int of(int beam, int slice, int plane) const {
    return level_[beam].empty() ? 0 : level_[beam][slice * planes_[beam] + plane];
  }
  field::Mesh mesh(int level) const;

  // A row of ny charges on one level, taken to another one that is not finer. scratch: 2·ny values.
  // Returns `row` itself or a place in scratch.
  const double* coarsened(const double* row, int from, int to, double* scratch) const;

 private:
  // The place of the centre, counted in nodes.
  double centre(int level) const;

  field::Mesh mesh_;
  Weighting weighting_ = Weighting::cic;
  std::array<int, 2> planes_{};                     // of the beam that meets this one
  std::array<std::vector<std::uint8_t>, 2> level_;  // [slice][plane]; empty: all 0
};

}  // namespace phasewise::collision
