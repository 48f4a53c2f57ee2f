// One rank's part in an exchange of the halo, written once for all listeners.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "halo/exchanges.hpp"
#include "workload/checks.hpp"
#include "workload/planned_run.hpp"

namespace phasewise::halo {

class Turn : public workload::PlannedTurn {
 public:
  // nodes: the node of each rank. The references must outlive the turn. Throws std::bad_alloc.
  Turn(const Description& description, const std::array<int, 2>& grid,
       const std::vector<int>& nodes, int rank, workload::Contents contents);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  exchange::Exchanges exchanges() const override { return exchanges_; }
  void exchange_as(const workload::Parameters& parameters) override;
  // The result of the checks of the halo's cells on all ranks.
  std::vector<workload::Value> record() const override;

  const Description& description() const { return description_; }
  // The array of [cells + 2 rows][cells + 2 rows] words; null without contents. Only its edges are
  // touched, so that the inner pages of a large array take no memory.
  std::byte* array() { return array_.get(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  struct Range {
    std::int64_t begin, end;
  };

  void set_protocol(exchange::Protocol protocol);
  double cell(std::int64_t at) const;
  void set_cell(std::int64_t at, double value);
  double value(std::int64_t column, std::int64_t row) const;
  template <class F>
  void for_each_cell(Range columns, Range rows, F&& f) const;
  void fill();
  void check();

  const Description& description_;
  const std::array<int, 2>& grid_;
  const std::vector<int>& nodes_;
  int rank_;
  exchange::Exchanges exchanges_;
  std::unique_ptr<std::byte, Free> array_;
  workload::Checks checks_;
};

}  // namespace phasewise::halo
