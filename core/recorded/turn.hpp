// What one rank of a recorded program did, told to a listener: its messages, its waits, its
// collectives, and the computing in between.
#pragma once

#include <memory>
#include <vector>

#include "exchange/collective.hpp"
#include "recorded/program_file.hpp"
#include "workload/planned_run.hpp"

namespace phasewise::recorded {

class Turn : public workload::PlannedTurn {
 public:
  // compute: how many times as long the computing takes as it did. The file outlives the turn.
  Turn(const ProgramFile& file, double compute, const std::vector<int>& nodes, int rank);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  bool posts() const override { return true; }
  bool finished() const override { return told_; }

 private:
  void post(const Act& act, workload::Listener& listener) const;
  void prepare();

  const ProgramFile& file_;
  double compute_;
  RankActs acts_;
  std::vector<exchange::TeamPointer> teams_;
  std::vector<std::vector<int>> requests_;         // of each list
  std::vector<exchange::Collective> collectives_;  // of each row
  bool told_ = false;
};

// This rank's team for each of the file's, alone where it is no member.
std::vector<exchange::TeamPointer> teams_of(const ProgramFile& file, const std::vector<int>& nodes,
                                            int rank);

inline constexpr const char* computing = "computing";

}  // namespace phasewise::recorded
