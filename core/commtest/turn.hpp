// One rank's part in an exchange of its pair, written once for all listeners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commtest/exchanges.hpp"
#include "parallel/buffer.hpp"
#include "workload/checks.hpp"
#include "workload/planned_run.hpp"

namespace phasewise::commtest {

class Turn : public workload::PlannedTurn {
 public:
  // nodes: the node of each rank. The references must outlive the turn. Throws std::bad_alloc.
  Turn(const Description& description, const Role& role, const std::vector<int>& nodes, int rank,
       workload::Contents contents);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  // The bytes of the messages depend on the number of the turn.
  exchange::Exchanges exchanges() const override { return exchanges_; }
  void exchange_as(const workload::Parameters& parameters) override;
  // The result of the checks of all bytes that arrived on all ranks.
  std::vector<workload::Value> record() const override;
  // The last message that arrived here; empty if none does.
  std::span<const std::byte> arrived() const;

 private:
  // Bytes of one message, with the rank that made them; rank and message determine their values.
  struct Stretch {
    std::int64_t offset, bytes;
    int maker, message;
  };
  void set_manner(const Manner& manner);
  std::vector<Stretch> made() const, expected() const;
  std::size_t first_value(const Stretch& stretch) const;
  void fill();
  void check();

  const Description& description_;
  const Role& role_;
  const std::vector<int>& nodes_;
  int rank_;
  Memory layout_;
  exchange::Exchanges exchanges_;
  parallel::Buffer<std::byte> memory_;
  workload::Checks checks_;
};

}  // namespace phasewise::commtest
