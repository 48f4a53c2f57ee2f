// One rank's part in the redistributions between sweeps: the zones that are whole along one axis
// become whole along another one.
#pragma once

#include <vector>

#include "exchange/exchange.hpp"
#include "hydro/division.hpp"
#include "hydro/manner.hpp"
#include "workload/workload.hpp"

namespace phasewise::hydro {

// A step from one axis to the one above or below it.
struct Step {
  int from = 0, to = 0;

  int lower() const { return from < to ? from : to; }  // also the place in which the ranks differ
};

class Exchanges {
 public:
  Exchanges(const Grid& grid, const Manner& manner, const workload::Nodes& nodes,
            const exchange::TeamPointer& all);

  const Division& division() const { return division_; }
  int rank() const { return all_->me; }
  Box box(int whole_axis) const { return division_.box(rank(), whole_axis); }
  // The steps from one axis to another at which zones change their ranks.
  std::vector<Step> steps(int from, int to) const;
  // The step at once, all six arrays together.
  exchange::TransposeExchange transpose(const Step& step) const;
  // The step in messages that hold one batch each of a sweep along `step.from`, to all ranks that
  // need it; one exchange for each batch of the rank that has the most. They use the channels of
  // batches in turn.
  exchange::Exchanges batched(const Step& step) const;
  std::vector<exchange::TeamOfDivision> teams() const;

 private:
  exchange::ExchangePointer batch_exchange(const Step& step, int number) const;

  Manner manner_;
  const workload::Nodes& nodes_;
  Division division_;
  exchange::TeamPointer all_;
  exchange::TeamPointer along_[2];  // ranks that differ in one place
};

}  // namespace phasewise::hydro
