// The process grid of a run, how its phases exchange, and what runs them.
#pragma once

#include <utility>

#include "collision/process_grid.hpp"
#include "collision/settings.hpp"
#include "collision/teams.hpp"
#include "comm/executor.hpp"

namespace phasewise::collision {

struct Decomposition {
  // Collective over all ranks.
  Decomposition(const comm::Communicator& world, comm::Recorder& recorder, ProcessGrid process_grid,
                Settings how)
      : grid(std::move(process_grid)),
        settings(std::move(how)),
        executor(world, recorder, teams_of(grid, world.rank())) {}

  ProcessGrid grid;
  Settings settings;
  comm::Executor executor;
};

}  // namespace phasewise::collision
