// Runs timesteps, one after the other.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hydro/workload.hpp"
#include "workload/live.hpp"
#include "workload/run.hpp"

namespace phasewise::hydro {

class Run : public workload::Run {
 public:
  // Collective.
  Run(const std::shared_ptr<const Hydro>& study, std::unique_ptr<workload::Session> session);

  bool finished() const override { return turn_.finished(); }
  std::vector<workload::Value> record() const override;
  std::vector<std::pair<std::string, double>> headline() const override;
  std::vector<std::pair<std::string, double>> piece_counts() const override;
  void exchange_as(const workload::Parameters& parameters) override;
  // One row for each zone, with its state, and with what has no place of its own in a checkpoint:
  // the time and the counts of floors.
  std::vector<std::string> row_sets() const override { return {"zones"}; }
  workload::Rows rows(const std::string& set) const override;
  std::vector<std::int64_t> own_rows(const std::string& set) const override;
  void replace_rows(const std::string& set, const workload::Rows& rows) override;

  const Description& description() const { return description_; }
  Turn& turn_of_rank() { return turn_; }
  double time() const { return turn_.time(); }

 protected:
  void run_turn() override;

 private:
  void tell(std::string_view piece);

  const Description& description_;
  Turn turn_;
  workload::Live live_;
  std::map<std::string, double> counts_;  // of data-dependent pieces
};

}  // namespace phasewise::hydro
