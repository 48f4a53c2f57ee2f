// Which rank computes which columns at a timestep, and what moves for it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atmosphere/layout.hpp"

namespace phasewise::atmosphere {

// What the columns are taken to cost at a timestep, in one unit for all.
struct Costs {
  std::vector<double> of;         // of each column
  std::vector<std::uint8_t> lit;  // 1 where the sun is up; empty where the costs are given
  bool by_sun() const { return !lit.empty(); }
};

// The rank that computes each column.
using Holders = std::vector<std::int32_t>;

// Columns of rank `from` that rank `to` computes: columns()[first … first + count - 1], ascending.
struct Shipment {
  int from, to;
  std::int64_t first, count;
};

class Schedule {
 public:
  // What a rank computes.
  struct Share {
    std::int64_t columns = 0, lit = 0;
    double cost = 0.0;
  };

  Schedule(const Layout& layout, Holders holders, const Costs& costs);

  int holder(std::int64_t column) const { return holders_[static_cast<std::size_t>(column)]; }
  const Holders& holders() const { return holders_; }
  bool lit(std::int64_t column) const {
    return !lit_.empty() && lit_[static_cast<std::size_t>(column)] != 0;
  }
  const Share& share(int rank) const { return shares_[static_cast<std::size_t>(rank)]; }
  // What leaves a rank, and what comes to it.
  std::span<const Shipment> from(int rank) const {
    return std::span(out_).subspan(out_begin_[rank], out_begin_[rank + 1] - out_begin_[rank]);
  }
  std::span<const Shipment> to(int rank) const {
    return std::span(in_).subspan(in_begin_[rank], in_begin_[rank + 1] - in_begin_[rank]);
  }
  std::span<const std::int32_t> columns(const Shipment& shipment) const {
    return std::span(columns_).subspan(static_cast<std::size_t>(shipment.first),
                                       static_cast<std::size_t>(shipment.count));
  }
  std::int64_t moved() const { return static_cast<std::int64_t>(columns_.size()); }
  std::int64_t lit_columns() const { return lit_columns_; }
  double total_cost() const { return total_cost_; }
  // The largest cost of a rank over the mean: of its own columns, and of those that it computes.
  double load_before() const { return load_before_; }
  double load_after() const { return load_after_; }
  // Whether all ranks compute the same columns as in the other schedule.
  bool moves_as(const Schedule& other) const {
    if (moved() != other.moved()) return false;
    return moved() == 0 || (mark_ == other.mark_ && holders_ == other.holders_);
  }

 private:
  void find_shipments(const Layout& layout);

  Holders holders_;
  std::vector<std::uint8_t> lit_;
  std::vector<Share> shares_;
  std::vector<std::int32_t> columns_;  // that move, by owner and holder
  std::vector<Shipment> out_, in_;     // sorted by (from, to), and by (to, from)
  std::vector<std::size_t> out_begin_, in_begin_;
  std::int64_t lit_columns_ = 0;
  std::uint64_t mark_ = 0;  // differs where the holders do, with few exceptions
  double total_cost_ = 0.0, load_before_ = 1.0, load_after_ = 1.0;
};

}  // namespace phasewise::atmosphere
