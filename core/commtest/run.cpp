#include "commtest/run.hpp"

namespace phasewise::commtest {

Run::Run(const workload::Parameters& parameters, std::unique_ptr<workload::Session> owned)
    : workload::Run(std::move(owned)),
      description_(parameters),
      roles_(roles_of(description_.pairs, session().world.size())),
      turn_of_rank_(description_, roles_[session().world.rank()], session().nodes,
                    session().world.rank(), !session().skeleton),
      live_(session()) {
  session().set_teams({});
  session().executor->prepare(turn_of_rank_.exchanges());
}

void Run::run_turn() {
  turn_of_rank_.begin(turn());
  turn_of_rank_.tell(the_piece, live_);
}

void Run::exchange_as(const workload::Parameters& parameters) {
  const Manner manner = read_manner(parameters, description_);
  parameters.check_all_used();
  turn_of_rank_.set_manner(manner);
  session().executor->prepare(turn_of_rank_.exchanges());
}

std::vector<workload::Value> Run::record() const {
  if (!description_.verify) return {};
  return {{"wrong", {}, {static_cast<double>(turn_of_rank_.wrong())}},
          {"checksum", {}, {static_cast<double>(turn_of_rank_.checksum())}}};
}

std::vector<std::pair<std::string, double>> Run::headline() const {
  if (!description_.verify) return {};
  return {{"wrong", static_cast<double>(turn_of_rank_.wrong())},
          {"checksum", static_cast<double>(turn_of_rank_.checksum())}};
}

std::vector<comm::Coordinate> Run::place() const {
  return {{"x", session().world.rank()}, {"y", 0}};
}

std::vector<std::vector<int>> Run::process_grid() const { return {{session().world.size(), 1}}; }

}  // namespace phasewise::commtest
