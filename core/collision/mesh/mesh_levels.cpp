#include "collision/mesh/mesh_levels.hpp"

#include <algorithm>
#include <cmath>

#include "collision/gaussian_slice.hpp"
#include "collision/mesh/mesh_choice.hpp"
#include "collision/slice_moments.hpp"

namespace phasewise::collision {
namespace {

// 2^-16 of the largest height is far below that of any beam.
constexpr int finest_level = 16;

// How far in y the slices reach from the centre of the mesh.
class Reach {
 public:
  Reach(const std::array<CollidingBeam, 2>& beams, double extent, double centre)
      : beams_(beams), extent_(extent), centre_(centre) {
    for (int b = 0; b < 2; ++b)
      for (int s = 0; s < beams[b].cuts.slices(); ++s)
        slice_[b].push_back(typical_slice(beams[b], s));
  }

  // How far the slice reaches, between its two boundaries, where it meets the other beam's plane at
  // z_other.
  double of(int beam, int slice, double z_other) const {
    const auto& plane = beams_[beam].cuts.plane;
    return std::max(at(slice_[beam][slice], 0.5 * (plane[slice] - z_other)),
                    at(slice_[beam][slice], 0.5 * (plane[slice + 1] - z_other)));
  }

 private:
  double at(const GaussianSlice& slice, double s) const {
    return std::fabs(slice.y_at(s) - centre_) +
           extent_ * std::sqrt(std::fmax(slice.syy_at(s), 0.0));
  }

  const std::array<CollidingBeam, 2>& beams_;
  double extent_, centre_;
  std::array<std::vector<GaussianSlice>, 2> slice_;
};

int level_for(double room, double needed) {
  if (!(needed > 0.0)) return finest_level;
  return static_cast<int>(
      std::clamp(std::floor(std::log2(room / needed)), 0.0, static_cast<double>(finest_level)));
}

}  // namespace

field::Mesh MeshLevels::mesh(int level) const {
  if (level == 0) return mesh_;
  field::Mesh mesh = mesh_;
  mesh.hy = std::ldexp(mesh_.hy, -level);
  mesh.origin_y = mesh_.origin_y + centre(0) * mesh_.hy - centre(level) * mesh.hy;
  return mesh;
}

Heights::Heights(const InteractionPoint& ip, const std::array<CollidingBeam, 2>& beams,
                 double middle) {
  const Reach reach(beams, ip.mesh_extent, middle);
  for (int b = 0; b < 2; ++b) {
    const beam::SliceCuts &own = beams[b].cuts, &other = beams[1 - b].cuts;
    const std::vector<double>& at = ip.planes == 2 ? other.plane : other.z;
    planes[b] = static_cast<int>(at.size());
    for (int s = 0; s < own.slices(); ++s)
      for (int plane = 0; plane < planes[b]; ++plane) {
        double here = reach.of(b, s, at[plane]);
        // The plane is the head of one slice and the tail of the one before it.
        const int first = ip.planes == 2 ? std::max(plane - 1, 0) : plane;
        for (int t = first; t <= std::min(plane, other.slices() - 1); ++t)
          here = std::max(here, reach.of(1 - b, t, own.z[s]));
        needed[b].push_back(here);
      }
  }
}

double Heights::least() const {
  return std::max(*std::ranges::min_element(needed[0]), *std::ranges::min_element(needed[1]));
}

double MeshLevels::room() const {
  const double nodes = std::min(centre(1), mesh_.ny - 1 - centre(1));
  return (nodes - mesh_margin) * mesh_.hy;
}

void MeshLevels::choose(const Heights& heights) {
  planes_ = heights.planes;
  for (int b = 0; b < 2; ++b) {
    level_[b].clear();
    for (const double needed : heights.needed[b])
      level_[b].push_back(static_cast<std::uint8_t>(level_for(room(), needed)));
  }
}

double MeshLevels::fitted_cells(const Heights& heights) const {
  constexpr double wanted = 1.25;  // reach of the finest level over that of the lowest plane
  const double least = heights.least();
  const int finest = level_for(room(), least);
  const double found = std::ldexp(room(), -finest) / least;
  if (finest == 0) return mesh_.hy;
  return mesh_.hy * (found <= wanted ? 1.0 : 2.0) * wanted / found;
}

}  // namespace phasewise::collision
