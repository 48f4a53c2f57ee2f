// A rank's turn: the kernel a number of times, and the check of its result.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "kernels/cases.hpp"
#include "workload/workload.hpp"

namespace phasewise::kernels {

namespace phases {
inline constexpr std::string_view checks = "checks";
}

// The turn has a single piece.
inline constexpr workload::Piece the_piece{.name = "kernel"};

class Turn : public workload::RankTurn {
 public:
  // real: has the kernel's data; otherwise it only reports its actions. The description must
  // outlive the turn. Throws what make_case throws.
  Turn(const Description& description, bool real);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;

  // Of the last verified turn, the largest of all ranks.
  double residual() const { return residual_[0]; }
  // Of this rank; none without data.
  std::vector<double> eigenvalues() const;

 private:
  const Description& description_;
  std::unique_ptr<Case> case_;
  std::array<double, 1> residual_{};
};

}  // namespace phasewise::kernels
