// A run of a composite: in each turn its parts run in the order of the ring, each with the bunches
// as the preceding part left them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "driver/composite.hpp"
#include "workload/run.hpp"

namespace phasewise::driver {

class CompositeRun : public workload::Run {
 public:
  // Collective; throws what the runs of the parts throw. `parameters` are those of the study.
  CompositeRun(const std::shared_ptr<const Composite>& study,
               const workload::Parameters& parameters, std::unique_ptr<workload::Session> session);

  // Names begin with the part's name and a slash.
  std::vector<workload::Value> record() const override;
  std::vector<std::pair<std::string, double>> headline() const override;
  // The sets of rows of the parts on this rank, under names that begin likewise.
  std::vector<std::string> row_sets() const override;
  workload::Rows rows(const std::string& set) const override;
  std::vector<std::int64_t> own_rows(const std::string& set) const override;
  void replace_rows(const std::string& set, const workload::Rows& rows) override;
  void set_turn(std::int64_t turn) override;

  // Whether the maker of the bunches, which is on all ranks, has finished.
  bool finished() const override { return maker().finished(); }
  beam::Bunch* held_bunch(int number) override { return maker().held_bunch(number); }
  std::vector<std::pair<std::string, double>> piece_counts() const override;
  void exchange_as(const workload::Parameters& parameters) override;

  // The runs of a workload on this rank.
  std::vector<workload::Run*> runs_of(const std::string& name);

 protected:
  void run_turn() override;

 private:
  Run& maker() const { return *runs_[maker_]; }
  Run& of_set(const std::string& set, std::string& own) const;
  void share_records();

  const Composite& plan_;
  std::vector<std::unique_ptr<Run>> runs_;  // one for each part; null if this rank is not in it
  std::size_t maker_ = 0;
  workload::Parameters exchanges_;  // how the ranks exchange now
  std::vector<double> shared_;      // records of guests that are missing on some ranks
};

}  // namespace phasewise::driver
