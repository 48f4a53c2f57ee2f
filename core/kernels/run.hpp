// Turns of a serial kernel that run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/turn.hpp"
#include "workload/live.hpp"
#include "workload/run.hpp"

namespace phasewise::kernels {

class Run : public workload::Run {
 public:
  // Collective; throws std::invalid_argument with one sentence if the parameters cannot be used or
  // the library cannot be loaded.
  Run(const workload::Parameters& parameters, std::unique_ptr<workload::Session> session);

  std::vector<workload::Value> record() const override;
  std::vector<std::pair<std::string, double>> headline() const override;
  std::vector<comm::Coordinate> place() const override;
  std::vector<std::vector<int>> process_grid() const override;
  std::string layout() const override { return "row-first"; }
  std::vector<std::string> exchange_keys() const override { return {}; }
  // There is nothing to choose.
  void exchange_as(const workload::Parameters& parameters) override { parameters.check_all_used(); }

  const Turn& turn_of_rank() const { return turn_of_rank_; }

 protected:
  void run_turn() override;

 private:
  Description description_;
  Turn turn_of_rank_;
  workload::Live live_;
};

}  // namespace phasewise::kernels
