// One exchange of the halo as one rank takes part in it, told once.
#pragma once

#include <array>
#include <cstdint>

#include "halo/exchanges.hpp"
#include "parallel/buffer.hpp"
#include "workload/workload.hpp"

namespace phasewise::halo {

// The turn in pieces: it is one.
std::vector<workload::Piece> pieces();

class Turn : public workload::RankTurn {
 public:
  // real: with an array, else only what is done is told. The description outlives the turn. Throws
  // std::bad_alloc.
  Turn(const Description& description, const std::array<int, 2>& grid, int rank, bool real);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  // The exchange of this number: its cells have values of their own.
  void begin(std::int64_t number) { number_ = number; }
  void set_variant(comm::Variant variant);

  // Of the last exchange that was verified, of all ranks: halo cells that do not have the value of
  // the cell they stand for, and the sum of all halo cells modulo 2^53.
  std::int64_t wrong() const { return checks_[0]; }
  std::int64_t checksum() const { return checks_[1]; }
  // [cells + 2 rows][cells + 2 rows]; null without contents.
  double* array() { return array_.data(); }

 private:
  struct Range {
    std::int64_t begin, end;
  };

  double value(std::int64_t column, std::int64_t row) const;
  template <class F>
  void for_each_cell(Range columns, Range rows, F&& f) const;
  void fill();
  void check();

  const Description& description_;
  std::array<int, 2> grid_;
  int rank_;
  std::int64_t number_ = 0;
  std::array<comm::ExchangePointer, 2> exchanges_;
  parallel::Buffer<double> array_;
  std::array<std::int64_t, 2> checks_{};
};

}  // namespace phasewise::halo
