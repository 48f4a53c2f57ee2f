// One rank's part in a timestep, written once for all listeners: products on the grid, their
// transforms, the tendencies of the coefficients, and the new state on the grid. Without contents
// it only reports its actions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sphere/cases.hpp"
#include "sphere/coefficients.hpp"
#include "sphere/grid_fields.hpp"
#include "sphere/invariants.hpp"
#include "workload/workload.hpp"

namespace phasewise::sphere {

namespace pieces {
// The first timestep begins with the coefficients of the initial fields and half a step. A run that
// continues, or divides its latitudes anew, makes its grid from the coefficients.
inline constexpr std::string_view start = "start", restored = "restored", step = "step";
}  // namespace pieces

std::vector<workload::Piece> pieces_of();

class Turn : public workload::RankTurn {
 public:
  // The description and the nodes must outlive the turn. Throws std::bad_alloc.
  Turn(const Description& description, const workload::Nodes& nodes,
       const exchange::TeamPointer& team, workload::Contents contents, int threads);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  // Exchanges in another way from the next timestep on. Throws std::invalid_argument if a rank
  // would lose fields that were set.
  void exchange_as(const Manner& manner);
  // Divides the grid as the next timestep needs it.
  void settle();
  // The exchanges that all ranks prepare together.
  exchange::Exchanges exchanges() const;

  const Transforms& transforms() const { return coefficients_->transforms(); }
  const Invariants& invariants() const { return *invariants_; }
  // Whether the grid lacks the state, so that the piece `restored` comes first.
  bool grid_is_missing() const { return grid_is_missing_; }

  // The states of the last timestep and of the one before it, [coefficient][state][re, im][level].
  State& old_state() { return old_; }
  State& new_state() { return new_; }
  std::vector<double>& mean_geopotential() { return mean_geopotential_; }
  // The states were replaced by those after this number of timesteps.
  void resume_at(std::int64_t timesteps);
  // The fields on the grid. Those of a file are set before the first timestep, and its ground also
  // where a run continues, or has divided its latitudes anew.
  GridFields& on_grid() { return *fields_; }
  void initial_fields_were_set() { fields_were_set_ = true; }
  bool ground_is_missing() const { return ground_is_missing_; }
  void ground_was_set() { ground_is_missing_ = false; }

 private:
  using Listener = workload::Listener;

  void make_transforms();
  void make_fields();
  void fill_initial_fields();
  void start(Listener& listener);
  void find_mean(Listener& listener);
  void step(Listener& listener);
  void find_tendency(Listener& listener);
  void fill_initial_products(int pair, int field, Complex* rows) const;
  void fill_products(int pair, int field, Complex* rows) const;
  void synthesise(Listener& listener, bool vorticity_only);
  void advance(Listener& listener, double step);

  Description description_;
  const workload::Nodes& nodes_;
  exchange::TeamPointer team_;
  workload::Contents contents_;
  int threads_;
  std::unique_ptr<CoefficientTransforms> coefficients_;
  std::optional<TestCase> case_;
  std::unique_ptr<GridFields> fields_;
  std::unique_ptr<Invariants> invariants_;
  State old_, new_, next_, tendency_;
  std::vector<double> mean_geopotential_;         // of each level
  std::vector<parallel::Buffer<Complex>> spare_;  // rows of each thread
  std::int64_t timesteps_ = 0;
  bool fields_were_set_ = false, grid_is_missing_ = false, ground_is_missing_ = false;
  bool grid_is_divided_as_before_ = false;  // the grid has the division before exchange_as
};

}  // namespace phasewise::sphere
