// One rank's part in a collective, written once for all listeners.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/exchanges.hpp"
#include "parallel/buffer.hpp"
#include "workload/checks.hpp"
#include "workload/global_sum.hpp"
#include "workload/planned_run.hpp"

namespace phasewise::collectives {

class Turn : public workload::PlannedTurn {
 public:
  // nodes: the node of each rank. The references must outlive the turn. Throws std::bad_alloc.
  Turn(const Description& description, const std::vector<int>& nodes, int rank,
       workload::Contents contents);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  // The values depend on the number of the turn.
  exchange::Exchanges exchanges() const override { return sum_ ? sum_->exchanges() : exchanges_; }
  void exchange_as(const workload::Parameters& parameters) override;
  // The result of the checks of all values on all ranks.
  std::vector<workload::Value> record() const override;

 private:
  void set_manner(const Manner& manner);
  void start(workload::Listener& listener);
  void finish(workload::Listener& listener);
  void compute(workload::Listener& listener, double flops);
  void work(double flops);

  double value(int rank, int block, std::int64_t place) const;
  // Over all ranks, or those from 0 to before `end`.
  double sum_over_ranks(int block, std::int64_t place, int end) const;
  double sum_over_ranks(int block, std::int64_t place) const {
    return sum_over_ranks(block, place, ranks_);
  }
  double exact_term(int rank, int number) const;
  // Calls f(place in the memory, value) for each value that this rank gives, or is to get.
  template <class F>
  void for_each_given(F&& f) const;
  template <class F>
  void for_each_got(F&& f) const;
  void fill();
  void check();
  void compare(double found, double expected);

  const Description& description_;
  const std::vector<int>& nodes_;
  int ranks_, rank_;
  Memory layout_;
  Manner manner_;
  std::int64_t result_ = 0;  // B
  exchange::Exchanges exchanges_;
  exchange::Collective call_;
  std::optional<workload::GlobalSum> sum_;
  std::vector<numerics::LongAccumulator> parts_;
  std::vector<double> sums_;
  parallel::Buffer<double> memory_;
  std::array<double, 8> computed_{};
  workload::Checks checks_;
};

}  // namespace phasewise::collectives
