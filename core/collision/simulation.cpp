#include "collision/simulation.hpp"

#include <limits>
#include <stdexcept>
#include <tuple>

#include "collision/device_choice.hpp"
#include "collision/exchange/build_settings.hpp"
#include "parallel/clock.hpp"
#include "parallel/loops.hpp"
#include "workload/pieces.hpp"

namespace phasewise::collision {
namespace {

Contents contents_of(const workload::Session& session) {
  return session.skeleton ? Contents::design : Contents::particles;
}

// A device that is chosen automatically is one that can do what the study asks for.
std::unique_ptr<DeviceWork> device_for(const Description& description, workload::Session& session) {
  if (description.loses_by_energy() && session.device == workload::Device::automatic)
    session.device = workload::Device::cpu;
  return device_of(session);
}

}  // namespace

// All collective calls, the last of which is in device_of, come before the large allocations, so
// that no rank waits for a rank that has run out of memory.
Simulation::Simulation(const std::shared_ptr<const Collision>& study,
                       std::unique_ptr<workload::Session> owned)
    : Run(study, std::move(owned)),
      description_(study->description()),
      group_(
          session().world.split(BeamGroups(study->grids().front(),
                                           {description_.is_tracked(0), description_.is_tracked(1)},
                                           session().world.rank())
                                    .own())),
      // Only plans need to know how many Green functions a first turn makes.
      pieces_(workload::sampled_pieces(pieces_of(description_, 0.0), session().sample)),
      state_(description_, study->grids(), session().world.rank(), contents_of(session()),
             session().threads, device_for(description_, session())),
      live_(session()) {
  if (DeviceWork* device = state_.device()) {
    session().kernels.time_by(device->stopwatch(parallel::clock().now));
    if (device->exchanges_directly()) session().executor->use_device(device->exchange_memory());
  }
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
