// The process grid of a run, how its phases exchange, and what runs them.
#pragma once

#include <utility>

#include "comm/executor.hpp"
#include "comm/process_grid.hpp"
#include "comm/settings.hpp"

namespace phasewise::collision {

struct Decomposition {
  // Collective over all ranks.
  Decomposition(const comm::Communicator& world, comm::Recorder& recorder,
                comm::ProcessGrid process_grid, comm::Settings how)
      : grid(std::move(process_grid)), settings(std::move(how)), executor(world, recorder, grid) {}

  comm::ProcessGrid grid;
  comm::Settings settings;
  comm::Executor executor;
};

}  // namespace phasewise::collision
