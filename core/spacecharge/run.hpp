// Runs a bunch with space charge, passage after passage.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "spacecharge/workload.hpp"
#include "workload/live.hpp"
#include "workload/run.hpp"

namespace phasewise::spacecharge {

class Run : public workload::Run {
 public:
  // Collective.
  Run(const std::shared_ptr<const SpaceCharge>& study, std::unique_ptr<workload::Session> session);

  std::vector<workload::Value> record() const override;
  std::vector<std::pair<std::string, double>> headline() const override;

  std::vector<std::string> row_sets() const override;
  workload::Rows rows(const std::string& set) const override;
  std::vector<std::int64_t> own_rows(const std::string& set) const override;
  void replace_rows(const std::string& set, const workload::Rows& rows) override;

  std::vector<std::pair<std::string, double>> piece_counts() const override;

  beam::Bunch& bunch() { return turn_of_rank_.bunch(); }
  beam::Bunch* held_bunch(int number) override {
    return number == description_.bunch.number ? &bunch() : nullptr;
  }
  void exchange_as(const workload::Parameters& parameters) override;

 protected:
  void run_turn() override;

 private:
  const Description& description_;
  std::vector<workload::Piece> pieces_;
  Turn turn_of_rank_;
  workload::Live live_;
};

}  // namespace phasewise::spacecharge
