// A run whose turns end by themselves after three of them, whatever is asked for: prints the turns
// done and whether the run is finished, after each of three calls.
#include <cstdio>
#include <memory>

#include "comm/communicator.hpp"
#include "workload/planned_run.hpp"

namespace {

using namespace phasewise;

class Turn : public workload::PlannedTurn {
 public:
  void tell(const workload::Piece& /*piece*/, workload::Listener& /*listener*/) override {
    done_ = number() + 1;
  }
  bool finished() const override { return done_ >= 3; }

 private:
  std::int64_t done_ = 0;
};

class Study : public workload::Planned<Turn> {
 public:
  using Planned::Planned;
  std::vector<workload::Phase> phases() const override { return {}; }
  std::vector<workload::Piece> pieces() const override { return {{.name = "count"}}; }
  std::unique_ptr<Turn> make_turn(int /*rank*/, workload::Contents /*contents*/) const override {
    return std::make_unique<Turn>();
  }
  std::vector<int> typical_ranks() const override { return {0}; }
};

}  // namespace

int main() {
  auto session = std::make_unique<workload::Session>(workload::Parameters::parse(""), 1);
  const auto study = std::make_shared<const Study>(session->nodes);
  workload::PlannedRun<Turn> run(study, std::move(session));
  for (const int turns : {2, 5, 1}) {
    run.step(turns);
    std::printf("%d %d\n", static_cast<int>(run.turn()), run.finished() ? 1 : 0);
  }
}
