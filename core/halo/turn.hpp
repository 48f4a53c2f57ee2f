// One rank's part in an exchange of the halo, written once for all listeners.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "halo/exchanges.hpp"
#include "workload/workload.hpp"

namespace phasewise::halo {

// The turn has a single piece.
inline constexpr workload::Piece the_piece{.name = "exchange"};

class Turn : public workload::RankTurn {
 public:
  // real: has an array; otherwise it only reports its actions to the listener. The description must
  // outlive the turn. Throws std::bad_alloc.
  // nodes: of all ranks.
  Turn(const Description& description, const std::array<int, 2>& grid,
       const std::vector<int>& nodes, int rank, bool real);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  // Begins exchange `number`; the values of the cells depend on it.
  void begin(std::int64_t number) { number_ = number; }
  const comm::Exchanges& exchanges() const { return exchanges_; }
  void set_protocol(comm::Protocol protocol);

  // Results of the last verified exchange over all ranks: the number of halo cells with a wrong
  // value, and the sum of all halo cells modulo 2^53.
  std::int64_t wrong() const { return checks_[0]; }
  std::int64_t checksum() const { return checks_[1]; }
  // [cells + 2 rows][cells + 2 rows] words; null without contents. Only edges are touched: the
  // inner pages of a large array take no memory.
  std::byte* array() { return array_.get(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  struct Range {
    std::int64_t begin, end;
  };

  double cell(std::int64_t at) const;
  void set_cell(std::int64_t at, double value);
  double value(std::int64_t column, std::int64_t row) const;
  template <class F>
  void for_each_cell(Range columns, Range rows, F&& f) const;
  void fill();
  void check();

  const Description& description_;
  std::array<int, 2> grid_;
  std::vector<int> nodes_;
  int rank_;
  std::int64_t number_ = 0;
  comm::Exchanges exchanges_;
  std::unique_ptr<std::byte, Free> array_;
  std::array<std::int64_t, 2> checks_{};
};

}  // namespace phasewise::halo
