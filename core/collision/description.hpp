// The parameters of a study of colliding beams, the same on every rank.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "beam/bunch.hpp"
#include "collision/exchange/process_grid.hpp"
#include "collision/exchange/settings.hpp"
#include "collision/interaction_point.hpp"
#include "workload/parameters.hpp"
#include "workload/workload.hpp"

namespace phasewise::collision {

struct Description {
  // Throws std::invalid_argument with one sentence if the parameters cannot be used.
  explicit Description(const workload::Parameters& parameters);

  std::uint64_t seed = 0;
  int moments_order = 2;
  int tracked = 0;                 // number of particles of each beam that are recorded every turn
  std::int64_t slices_every = 0;   // turns between measurements of each slice; 0: never
  bool staged = false;             // whether a plan contains copies between host and device
  bool planned_on_gpu = false;     // whether a plan is that of a GPU
  bool planned_on_device = false;  // or of an emulated one
  Settings settings;
  std::array<beam::BunchConstants, 2> bunches;
  std::vector<InteractionPoint> points;
  std::vector<std::array<beam::Moments, 2>> design;  // of each beam at each interaction point
  // Where each bunch's orbit is at the first interaction point: x px y py z delta [m, 1].
  std::array<std::array<double, 6>, 2> orbit{};

  bool is_tracked(int beam) const { return !bunches[beam].strong; }
  // Whether particles radiate at some interaction point, are scattered at some, or are lost by
  // their energy.
  bool radiates() const;
  bool scatters() const;
  bool loses_by_energy() const;
  bool slices_wanted(std::int64_t turn) const {
    return slices_every > 0 && turn % slices_every == 0;
  }
  // The process grid of each interaction point. Throws std::invalid_argument if the study does not
  // fit the number of ranks.
  std::vector<ProcessGrid> process_grids(int ranks, const workload::Nodes& nodes) const;
};

}  // namespace phasewise::collision
