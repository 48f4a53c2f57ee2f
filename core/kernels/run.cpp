#include "kernels/run.hpp"

namespace phasewise::kernels {

Run::Run(const workload::Parameters& parameters, std::unique_ptr<workload::Session> owned)
    : workload::Run(std::move(owned)),
      description_(parameters),
      turn_of_rank_(description_, !session().skeleton),
      live_(session()) {
  session().set_teams({});
}

void Run::run_turn() { turn_of_rank_.tell(the_piece, live_); }

std::vector<workload::Value> Run::record() const {
  if (!description_.verify) return {};
  return {{"residual", {}, {turn_of_rank_.residual()}}};
}

std::vector<std::pair<std::string, double>> Run::headline() const {
  if (!description_.verify) return {};
  return {{"residual", turn_of_rank_.residual()}};
}

std::vector<comm::Coordinate> Run::place() const { return {{"rank", session().world.rank()}}; }

std::vector<std::vector<int>> Run::process_grid() const { return {{session().world.size(), 1}}; }

}  // namespace phasewise::kernels
