// Runs timesteps, one after the other.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ocean/workload.hpp"
#include "workload/live.hpp"
#include "workload/run.hpp"

namespace phasewise::ocean {

class Run : public workload::Run {
 public:
  // Collective.
  Run(const std::shared_ptr<const Ocean>& study, std::unique_ptr<workload::Session> session);

  std::vector<workload::Value> record() const override;
  std::vector<std::pair<std::string, double>> headline() const override;
  std::vector<std::pair<std::string, double>> piece_counts() const override;
  void exchange_as(const workload::Parameters& parameters) override;
  // Rows for each level of a cell, and for each cell of the surface, that is sea: cells are
  // numbered i + nx (j + ny k). Velocities are those of the corner in the north-east of a cell.
  std::vector<std::string> row_sets() const override { return {"cells", "columns"}; }
  workload::Rows rows(const std::string& set) const override;
  std::vector<std::int64_t> own_rows(const std::string& set) const override;
  void replace_rows(const std::string& set, const workload::Rows& rows) override;

 protected:
  void run_turn() override;

 private:
  void tell(std::string_view piece);
  void solve_as_planned();
  // Where the rows of a set are, by their numbers.
  struct Place {
    std::int64_t id, at;  // in a field, or in a plane
  };
  std::vector<Place> places(const std::string& set) const;
  static std::vector<std::int64_t> ids_of(const std::vector<Place>& places);
  // The arrays of a set by their names.
  std::vector<std::pair<std::string, double*>> arrays(const std::string& set);

  const Description& description_;
  const Grid& grid_;
  Turn turn_;
  workload::Live live_;
  bool set_up_ = false;
  std::map<std::string, double> counts_;  // of data-dependent pieces
};

}  // namespace phasewise::ocean
