// Meshes that are finer in y where the beams are flatter. Because of the hourglass effect, a beam
// with small β* is many times as high at the ends of a long collision as at the waist. Level m
// halves the cells of the common mesh m times around the same centre and keeps their number. The
// level of a plane of the collision depends only on the slice that makes the field and on the
// plane, so that neighbouring slices, which share the plane, meet the same field there.
//
// The nodes of neighbouring levels are placed so that the weights of a particle on the coarser
// level are sums of its weights on the finer one (B-splines are sums of B-splines of half the
// width; C. de Boor, "A Practical Guide to Splines" (2001), chapter IX). A charge can therefore be
// taken to a coarser level from its nodes alone.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "collision/interaction_point.hpp"
#include "collision/mesh/weighting.hpp"
#include "field/mesh.hpp"

namespace phasewise::collision {

struct Coarsening {
  Weighting weighting;
  int ny;

  // The place of the mesh's centre, counted in nodes. On level 0 the mesh is symmetric about it. On
  // finer levels the centre is a node with linear weights, and lies between two nodes with
  // quadratic ones.
  PHASEWISE_HD double centre(int level) const {
    if (level == 0) return 0.5 * (ny - 1);
    const int half = ny / 2;
    return half - (weighting == Weighting::cic ? 0.0 : 0.5);
  }

  // The finer node at the place of node j of the next coarser level, or the lower of the two nodes
  // around that place.
  PHASEWISE_HD int finer_node(int finer_level, int j) const {
    const double place = centre(finer_level) - 2.0 * centre(finer_level - 1) + 2.0 * j;
    return static_cast<int>(weighting == Weighting::cic ? std::lround(place)
                                                        : std::lround(std::floor(place)));
  }
  // The coarser node's charge, if fine(k) is that of the k-th node after this one.
  template <class Fine>
  PHASEWISE_HD double coarser(const Fine& fine) const {
    if (weighting == Weighting::cic) return fine(0) + 0.5 * (fine(-1) + fine(1));
    return 0.75 * (fine(0) + fine(1)) + 0.25 * (fine(-1) + fine(2));
  }
  // Takes a row of ny charges from one level to another that is not finer. `scratch` has room for
  // 2·ny values. Returns `row` itself or a place in scratch.
  PHASEWISE_HD const double* coarsened(const double* row, int from, int to, double* scratch) const {
    for (int level = from; level > to; --level) {
      double* out = row == scratch ? scratch + ny : scratch;
      for (int j = 0; j < ny; ++j) {
        const int node = finer_node(level, j);
        out[j] = coarser([&](int k) {
          k += node;
          return k >= 0 && k < ny ? row[k] : 0.0;
        });
      }
      row = out;
    }
    return row;
  }
  // Computes node j of the same without scratch; the more levels lie in between, the more values
  // are computed repeatedly.
  template <int most_levels>
  PHASEWISE_HD double coarsened_node(const double* row, int from, int to, int j) const {
    if (j < 0 || j >= ny) return 0.0;
    if constexpr (most_levels > 0) {
      if (from > to) {
        const int node = finer_node(to + 1, j);
        double fine[4];
        for (int k = 0; k < 4; ++k)
          fine[k] = coarsened_node<most_levels - 1>(row, from, to + 1, node + k - 1);
        return coarser([&](int k) { return fine[k + 1]; });
      }
    }
    return row[j];
  }
};

// How far from `middle` in y [m] the mesh has to reach for each beam's slice on each plane of the
// opposing beam: ± mesh_extent rms of the slice and of both slices around the plane.
struct Heights {
  std::array<int, 2> planes{};                  // number of planes of the opposing beam
  std::array<std::vector<double>, 2> needed{};  // [slice][plane]

  Heights(const InteractionPoint& ip, const std::array<CollidingBeam, 2>& beams, double middle);
  double least() const;  // the larger of both beams' smallest ones
};

class MeshLevels {
 public:
  MeshLevels() = default;
  // Puts all planes on level 0, the mesh itself.
  MeshLevels(const field::Mesh& mesh, Weighting weighting) : mesh_(mesh), weighting_(weighting) {}

  // Chooses for each plane the finest level that reaches as far as it needs.
  void choose(const Heights& heights);
  // The cells of level 0, at least as large as the mesh's and at most twice as large, with which
  // the finest level fits the lowest plane and those up to a quarter higher. They are the mesh's if
  // it has no finer level.
  double fitted_cells(const Heights& heights) const;

  // The level of the mesh for the charge of a beam's slice on a plane of the opposing beam. The
  // plane is a boundary between slices, or, with one plane per slice, a slice's centroid.
  int of(int beam, int slice, int plane) const {
    return level_[beam].empty() ? 0 : level_[beam][slice * planes_[beam] + plane];
  }
  field::Mesh mesh(int level) const;

  // The object that takes rows of charges to coarser levels.
  Coarsening coarsening() const { return {weighting_, mesh_.ny}; }

 private:
  double centre(int level) const { return coarsening().centre(level); }
  // How far a finer level's window reaches from its centre if its cells have the size of level 0's.
  double room() const;

  field::Mesh mesh_;
  Weighting weighting_ = Weighting::cic;
  std::array<int, 2> planes_{};                     // number of planes of the opposing beam
  std::array<std::vector<std::uint8_t>, 2> level_;  // [slice][plane]; empty: all 0
};

}  // namespace phasewise::collision
