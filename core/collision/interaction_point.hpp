// The parameters of one interaction point, and the state of both beams in a collision there.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "beam/boost.hpp"
#include "beam/crab.hpp"
#include "beam/moments.hpp"
#include "beam/particles.hpp"
#include "beam/slices.hpp"
#include "collision/exchange/schedule.hpp"
#include "collision/gaussian_slice.hpp"
#include "collision/inserted.hpp"
#include "collision/mesh/weighting.hpp"
#include "collision/radiation/beamstrahlung.hpp"
#include "collision/radiation/scattering.hpp"
#include "field/doubled_grid.hpp"

namespace phasewise::collision {

enum class Model { none, strong_strong, soft_gaussian, weak_strong };

struct InteractionPoint {
  Model model = Model::none;
  beam::CrossingAngle angle;
  std::array<double, 4> separation{};  // beam 1 minus beam 2 in x, y [m], before and after the ramp
  std::array<double, 2> ramp{};        // turns between which the separation changes linearly
  std::array<beam::CrabPair, 2> crab{};
  std::array<InsertedAround, 2> inserts{};  // of each beam
  int nx = 128, ny = 128;
  Slices slices{1, 1};  // of each beam
  beam::Slicing slicing = beam::Slicing::equal_charge;
  double slice_extent = 3.0;
  Weighting weighting = Weighting::cic;
  int planes = 1;  // 2: interpolation in z between slice boundaries
  // With two planes: neighbouring slices share the plane between them where one mesh holds all.
  bool share_planes = false;
  bool longitudinal_kick = true;
  bool static_kick = true;  // false: what a particle on the design orbit gets is taken out
  bool fixed_mesh = false;
  double mesh_extent = 6.0;                 // rms
  std::array<double, 2> mesh_half_width{};  // m, fixed mesh
  bool luminosity = true;
  field::Transforms transforms = field::Transforms::fftw;
  Beamstrahlung beamstrahlung = Beamstrahlung::none;
  Bhabha bhabha;
  bool green_every_step = false;  // else the transform is kept until the mesh changes

  std::array<double, 2> separation_at(std::int64_t turn) const;
};

// One beam as the collision sees it: in the boosted frame, sorted into slices.
struct CollidingBeam {
  beam::Particles* particles = nullptr;      // null if this rank holds no particle of this beam
  bool strong = false;                       // not tracked: Gaussian slices with its design moments
  std::vector<GaussianSlice> strong_slices;  // those of a strong beam
  std::vector<std::int64_t> begin;  // where each slice begins among this rank's particles (S + 1)
  int slices = 1;
  double here = 0.0;  // particles of this rank; the mean number if no other is known
  beam::SliceCuts cuts;
  std::vector<SliceWaist> waists;  // of each slice; empty without a crab waist
  beam::Moments moments;           // of the whole beam
  double macroparticles = 0;       // at the start
  double kick_scale = 0.0;  // kick by one macroparticle of the other beam, over its field E [m]
  double per_macroparticle = 0.0;        // real particles that one macroparticle stands for
  SliceDensity density;                  // of its slices along z, if the other beam radiates
  RadiatingBeam* radiating = nullptr;    // null if its particles do not radiate
  ScatteringBeam* scattering = nullptr;  // null if its particles are not scattered

  // This rank's particles in a slice; their mean number if no other is known.
  double in_slice(int slice) const {
    return begin.empty() ? here / slices : static_cast<double>(begin[slice + 1] - begin[slice]);
  }
};

struct CollisionResult {
  double luminosity = 0.0;              // per crossing [1/m²]
  std::vector<double> pair_luminosity;  // [slice of beam 1][slice of beam 2]
  std::array<std::int64_t, 2> outside{
      0, 0};  // deposits of each beam beyond the mesh, all slices and steps
  // Of each beam, where the study asks for it: photons; events of scattering that were drawn;
  // particles lost by their energy after one of them, and others.
  std::array<PhotonTally, 2> photons{};
  std::array<std::int64_t, 2> scattered{}, lost_scattered{}, lost_radiating{};
};

}  // namespace phasewise::collision
