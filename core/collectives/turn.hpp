// One rank's part in a collective, written once for all listeners.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/exchanges.hpp"
#include "parallel/buffer.hpp"
#include "workload/global_sum.hpp"
#include "workload/workload.hpp"

namespace phasewise::collectives {

// The turn has a single piece.
inline constexpr workload::Piece the_piece{.name = "exchange"};

class Turn : public workload::RankTurn {
 public:
  // real: has memory for the values; otherwise it only reports its actions to the listener. The
  // description must outlive the turn. nodes: of all ranks. Throws std::bad_alloc.
  Turn(const Description& description, const std::vector<int>& nodes, int rank, bool real);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  // Begins turn `number`; the values depend on it.
  void begin(std::int64_t number) { number_ = number; }
  comm::Exchanges exchanges() const { return sum_ ? sum_->exchanges() : exchanges_; }
  void set_manner(const Manner& manner);

  // Results of the last verified turn over all ranks: the number of wrong values, and the sum of
  // all values modulo 2^53.
  std::int64_t wrong() const { return checks_[0]; }
  std::int64_t checksum() const { return checks_[1]; }

 private:
  void start(workload::Listener& listener);
  void finish(workload::Listener& listener);
  void compute(workload::Listener& listener, double flops);
  void work(double flops);

  double value(int rank, int block, std::int64_t place) const;
  double sum_over_ranks(int block, std::int64_t place) const;
  double exact_term(int rank, int number) const;
  // Calls f(place in the memory, value) for each value that this rank gives, or gets.
  template <class F>
  void for_each_given(F&& f) const;
  template <class F>
  void for_each_got(F&& f) const;
  void fill();
  void check();
  void compare(double found, double expected);

  const Description& description_;
  std::vector<int> nodes_;
  int ranks_, rank_;
  Memory layout_;
  Manner manner_;
  std::int64_t result_ = 0;  // B
  std::int64_t number_ = 0;
  comm::Exchanges exchanges_;
  comm::Collective call_;
  std::optional<workload::GlobalSum> sum_;
  std::vector<numerics::LongAccumulator> parts_;
  std::vector<double> sums_;
  parallel::Buffer<double> memory_;
  std::array<double, 8> computed_{};
  std::array<std::int64_t, 2> checks_{};
};

}  // namespace phasewise::collectives
