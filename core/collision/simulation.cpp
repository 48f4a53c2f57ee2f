#include "collision/simulation.hpp"

#include <limits>
#include <stdexcept>
#include <tuple>

#include "collision/build_settings.hpp"
#include "collision/device_choice.hpp"
#include "collision/teams.hpp"
#include "parallel/clock.hpp"
#include "parallel/loops.hpp"
#include "workload/pieces.hpp"

namespace phasewise::collision {
namespace {

// The teams of all grids, in the order of the interaction points.
std::vector<comm::TeamOfDivision> teams_of_all(const std::vector<ProcessGrid>& grids, int rank) {
  std::vector<comm::TeamOfDivision> teams;
  for (const ProcessGrid& grid : grids)
    for (const comm::TeamOfDivision& team : teams_of(grid, rank)) teams.push_back(team);
  return teams;
}

Contents contents_of(const workload::Session& session) {
  return session.skeleton ? Contents::design : Contents::particles;
}

}  // namespace

Simulation::Simulation(const workload::Parameters& parameters,
                       std::unique_ptr<workload::Session> owned)
    : Run(std::move(owned)),
      description_(parameters),
      grids_(divide_ranks()),
      group_(session().world.split(
          BeamGroups(grids_.front(), {description_.is_tracked(0), description_.is_tracked(1)},
                     session().world.rank())
              .own())),
      pieces_(workload::sampled_pieces(pieces_of(description_), session().sample)),
      state_(description_, grids_, session().world.rank(), contents_of(session()),
             session().threads, device_of(session())),
      live_(session()) {
  if (DeviceWork* device = state_.device()) {
    session().kernels.time_by(device->stopwatch(parallel::clock().now));
    if (device->exchanges_directly()) session().executor->use_device(device->exchange_memory());
  }
}

// All collective calls, the last of which is in device_of, come before the large allocations, so
// that no rank waits for a rank that has run out of memory.
std::vector<ProcessGrid> Simulation::divide_ranks() {
  auto grids = description_.process_grids(session().world.size(), session().nodes);
  session().set_teams(teams_of_all(grids, session().world.rank()));
  return grids;
}

void Simulation::run_turn() {
  state_.begin(turn());
  for (const workload::Piece& piece : pieces_) {
    if (piece.kind == workload::Piece::Kind::data_dependent) {
      // Green functions that are not kept are made in the steps themselves.
      if (piece.name != pieces::slices || !description_.slices_wanted(turn())) continue;
      ++measurements_;
    }
    state_.tell(piece, live_);
  }
}

void Simulation::exchange_as(const workload::Parameters& parameters) {
  Settings settings = build_settings(parameters);
  parameters.check_all_used();
  const Settings& old = description_.settings;
  settings.shapes = old.shapes;
  settings.layout = old.layout;
  settings.places = old.places;
  state_.set_settings(settings);
}

}  // namespace phasewise::collision
