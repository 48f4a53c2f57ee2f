// How a study makes its next configuration: a trajectory, or sweeps.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "qcd/description.hpp"
#include "qcd/update/heat_bath.hpp"
#include "qcd/update/quark/quark_monomials.hpp"
#include "qcd/update/terms.hpp"
#include "qcd/update/trajectory.hpp"

namespace phasewise::qcd {

class Update {
 public:
  // `exchange` fetches the halo of the links. All that is handed over must outlive the update.
  Update(const Description& description, const Position& position, Links& links,
         Trajectory::ExchangeLinks exchange, int threads, bool real);

  // All exchanges but that of the links, in the same order on all ranks.
  exchange::Exchanges exchanges() const;
  void set_manner(const Manner& manner);
  // How the solves of a trajectory are iterated; by default they are not.
  void set_control(const SolveControl& control);

  // Makes the configuration with this number. The links must have their halo, and have it again.
  void tell(std::int64_t number, workload::Listener& listener);
  // The links are others, with their halo.
  void links_changed() { ++fields_.version; }

  UpdateFields& fields() { return fields_; }
  const std::vector<Term>& terms() const { return terms_; }
  // The monomial with this name; throws std::invalid_argument if there is none.
  Monomial& monomial(std::string_view name);
  // Of an update by sweeps, only `reunitarised` has a meaning.
  const TrajectoryValues& values() const { return values_; }
  Trajectory& trajectory() { return *trajectory_; }

 private:
  void tell_sweeps(std::int64_t number, workload::Listener& listener);

  const UpdateSetting& setting_;
  UpdateFields fields_;
  Trajectory::ExchangeLinks exchange_;
  std::vector<Term> terms_;
  std::unique_ptr<QuarkSystem> quarks_;
  std::vector<std::unique_ptr<Monomial>> monomials_;  // of the terms
  std::unique_ptr<Trajectory> trajectory_;
  std::unique_ptr<HeatBath> heat_bath_;
  TrajectoryValues values_;
};

}  // namespace phasewise::qcd
