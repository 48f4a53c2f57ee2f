#include "halo/run.hpp"

#include "workload/protocols.hpp"

namespace phasewise::halo {

Run::Run(const workload::Parameters& parameters, std::unique_ptr<workload::Session> owned)
    : workload::Run(std::move(owned)),
      description_(parameters),
      grid_(fitting_grid(description_, session().world.size())),
      turn_of_rank_(description_, grid_, session().nodes, session().world.rank(),
                    !session().skeleton),
      live_(session()) {
  session().set_teams({});
  session().executor->prepare(turn_of_rank_.exchanges());
}

void Run::run_turn() {
  turn_of_rank_.begin(turn());
  turn_of_rank_.tell(the_piece, live_);
}

void Run::exchange_as(const workload::Parameters& parameters) {
  const comm::Protocol protocol = workload::protocol_in(parameters);
  parameters.check_all_used();
  turn_of_rank_.set_protocol(protocol);
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
  const auto [x, y] = place_of(grid_, session().world.rank());
  return {{"x", x}, {"y", y}};
}

}  // namespace phasewise::halo
