// A rank's turn: it runs the kernel a number of times, and checks the result.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "kernels/cases.hpp"
#include "workload/checks.hpp"
#include "workload/planned_run.hpp"

namespace phasewise::kernels {

class Turn : public workload::PlannedTurn {
 public:
  // The description must outlive the turn. Throws what make_case throws.
  Turn(const Description& description, workload::Contents contents);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  // The largest residual of all ranks.
  std::vector<workload::Value> record() const override;
  // The eigenvalues that this rank found; empty without data.
  std::vector<double> eigenvalues() const {
    return case_ ? case_->eigenvalues() : std::vector<double>{};
  }

 private:
  const Description& description_;
  std::unique_ptr<Case> case_;
  std::array<double, 1> residual_{};
};

}  // namespace phasewise::kernels
