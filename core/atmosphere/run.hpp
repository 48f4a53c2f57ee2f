// Runs timesteps, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "atmosphere/workload.hpp"
#include "workload/live.hpp"
#include "workload/run.hpp"

namespace phasewise::atmosphere {

class Run : public workload::Run {
 public:
  // Collective.
  Run(const std::shared_ptr<const Atmosphere>& study, std::unique_ptr<workload::Session> session);

  std::vector<workload::Value> record() const override;
  std::vector<std::pair<std::string, double>> headline() const override;
  std::vector<std::pair<std::string, double>> piece_counts() const override;
  void exchange_as(const workload::Parameters& parameters) override;
  // A row for each column, with its surface, its results and its cost; and one for each of its
  // levels, numbered level + levels · column. With given costs a column has its cost alone.
  std::vector<std::string> row_sets() const override;
  workload::Rows rows(const std::string& set) const override;
  std::vector<std::int64_t> own_rows(const std::string& set) const override;
  void replace_rows(const std::string& set, const workload::Rows& rows) override;

 protected:
  void run_turn() override;

 private:
  // A number of each row: its name, and its place among a column's doubles.
  struct Field {
    std::string name;
    int at;
  };
  std::vector<Field> fields(const std::string& set) const;
  // Calls f(id, place of the column, level) for each row.
  template <class F>
  void for_rows(const std::string& set, F&& f) const;
  bool known(const std::string& set) const;
  int levels() const { return planet_.description().physics.levels; }

  const Planet& planet_;
  Schedules schedules_;
  Turn turn_;
  workload::Live live_;
  std::int64_t done_ = 0;  // timesteps of this process
};

}  // namespace phasewise::atmosphere
