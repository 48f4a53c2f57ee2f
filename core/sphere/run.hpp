// Runs timesteps, one after the other.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sphere/workload.hpp"
#include "workload/live.hpp"
#include "workload/run.hpp"

namespace phasewise::sphere {

class Run : public workload::Run {
 public:
  // Collective.
  Run(const std::shared_ptr<const Sphere>& study, std::unique_ptr<workload::Session> session);

  void set_turn(std::int64_t turn) override;
  std::vector<workload::Value> record() const override { return turn_.invariants().record(); }
  std::vector<std::pair<std::string, double>> headline() const override;
  std::vector<std::pair<std::string, double>> piece_counts() const override;
  void exchange_as(const workload::Parameters& parameters) override;
  // The coefficients of both states, one row for each (m, l).
  std::vector<std::string> row_sets() const override { return {"coefficients"}; }
  workload::Rows rows(const std::string& set) const override;
  std::vector<std::int64_t> own_rows(const std::string& set) const override;
  void replace_rows(const std::string& set, const workload::Rows& rows) override;

  const Description& description() const { return description_; }
  Turn& turn_of_rank() { return turn_; }
  const Turn& turn_of_rank() const { return turn_; }

 protected:
  void run_turn() override;

 private:
  // Calls f(id, index) for each coefficient of this rank.
  template <class F>
  void for_coefficients(F&& f) const;

  const Description& description_;
  mutable Turn turn_;
  workload::Live live_;
  std::int64_t starts_ = 0, restorations_ = 0;
};

}  // namespace phasewise::sphere
