// One rank's part in a solve, or in an update with its measurement, written once for all listeners.
#pragma once

#include <memory>
#include <vector>

#include "qcd/dirac/smearing.hpp"
#include "qcd/gauge/gauge_measurement.hpp"
#include "qcd/gauge/gradient_flow.hpp"
#include "qcd/solver/solver.hpp"
#include "qcd/update/update.hpp"
#include "workload/workload.hpp"

namespace phasewise::qcd {

// The ranks of a study and their places.
struct Ranks {
  Ranks(const Description& description, const std::vector<int>& nodes);

  Extents grid;
  std::vector<Extents> places;  // of the ranks
  std::vector<int> at;          // rank at each place
};

class Turn : public workload::RankTurn {
 public:
  // With `real` it has memory; otherwise it only reports its actions to the listener. Description,
  // ranks and nodes must outlive it.
  Turn(const Description& description, const Ranks& ranks, const std::vector<int>& nodes, int rank,
       int threads, bool real);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;

  const Domain& domain() const { return domain_; }
  Links& links() { return links_; }
  const Links& links() const { return links_; }
  // All exchanges, in the same order on all ranks.
  exchange::Exchanges exchanges() const;
  void set_manner(const Manner& manner);
  // Throws std::invalid_argument if the study solves nothing for a source.
  Solver& solver() { return *with_solver(); }
  const Solver& solver() const { return *with_solver(); }
  // Null if the study makes no configurations.
  Update* update() { return update_.get(); }
  const Update* update() const { return update_.get(); }
  // The number of the configuration that is made next.
  void set_number(std::int64_t number) { number_ = number; }
  const SmearedSource& smeared() const { return smeared_; }
  const GaugeValues& gauge() const { return gauge_.values(); }
  // Of the links that were taken last.
  const std::vector<FlowValues>& flow() const { return flow_.values(); }
  const std::vector<double>& pion() const { return pion_; }
  // The place of the source of this solve.
  void set_source(std::int64_t solve) { solver().set_place(description_.source(solve)); }
  void clear_pion() { pion_.assign(pion_.size(), 0.0); }

 private:
  void begin(int component, workload::Listener& listener);
  void tell_links(workload::Listener& listener);
  void tell_measurement(workload::Listener& listener);
  bool tell_of_monomial(std::string_view piece, workload::Listener& listener);
  Solver* with_solver() const;
  void exchange_links(Links& links, workload::Listener& listener);
  void flow(workload::Listener& listener);
  // Hands the links to the quarks.
  void give_links(workload::Listener& listener);
  // The links that the quarks see.
  const Links& smooth_links(workload::Listener& listener);

  const Description& description_;
  Position position_;
  Domain domain_;
  int threads_;
  bool real_;
  Links links_;
  std::vector<Links> smooth_;  // two, used in turn
  GaugeMeasurement gauge_;
  GradientFlow flow_;
  SmearedSource smeared_;
  std::unique_ptr<Solver> solver_;
  std::unique_ptr<Update> update_;
  std::int64_t number_ = 0;
  exchange::Exchanges of_links_;
  std::vector<double> pion_;
};

}  // namespace phasewise::qcd
