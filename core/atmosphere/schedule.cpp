#include "atmosphere/schedule.hpp"

#include <algorithm>
#include <utility>

namespace phasewise::atmosphere {
namespace {

double largest_over_mean(const std::vector<double>& loads) {
  double most = 0.0, all = 0.0;
  for (const double load : loads) {
    most = std::max(most, load);
    all += load;
  }
  return all > 0.0 ? most * static_cast<double>(loads.size()) / all : 1.0;
}

// Where the shipments of each rank begin, by one of their ends.
std::vector<std::size_t> begins(const std::vector<Shipment>& shipments, int Shipment::*end,
                                int ranks) {
  std::vector<std::size_t> begin(static_cast<std::size_t>(ranks) + 1, 0);
  for (const Shipment& one : shipments) ++begin[static_cast<std::size_t>(one.*end) + 1];
  for (int rank = 0; rank < ranks; ++rank) begin[rank + 1] += begin[rank];
  return begin;
}

}  // namespace

Schedule::Schedule(const Layout& layout, Holders holders, const Costs& costs)
    : holders_(std::move(holders)),
      lit_(costs.lit),
      shares_(static_cast<std::size_t>(layout.ranks())) {
  const std::vector<std::int32_t>& owners = layout.owners();
  std::vector<double> before(shares_.size(), 0.0), after(shares_.size(), 0.0);
  for (std::size_t column = 0; column < owners.size(); ++column) {
    Share& share = shares_[holders_[column]];
    ++share.columns;
    mark_ = (mark_ ^ static_cast<std::uint64_t>(holders_[column])) * 0x100000001b3U;
    if (!lit_.empty()) share.lit += lit_[column];
    share.cost += costs.of[column];
    before[owners[column]] += costs.of[column];
    total_cost_ += costs.of[column];
  }
  for (std::size_t rank = 0; rank < shares_.size(); ++rank) {
    after[rank] = shares_[rank].cost;
    lit_columns_ += shares_[rank].lit;
  }
  load_before_ = largest_over_mean(before);
  load_after_ = largest_over_mean(after);
  find_shipments(layout);
}

void Schedule::find_shipments(const Layout& layout) {
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const auto first = static_cast<std::ptrdiff_t>(columns_.size());
    for (const std::int32_t column : layout.columns(rank))
      if (holders_[column] != rank) columns_.push_back(column);
    std::stable_sort(columns_.begin() + first, columns_.end(),
                     [&](std::int32_t a, std::int32_t b) { return holders_[a] < holders_[b]; });
    for (auto at = static_cast<std::size_t>(first); at < columns_.size(); ++at) {
      const int to = holders_[columns_[at]];
      if (out_.empty() || out_.back().from != rank || out_.back().to != to)
        out_.push_back({rank, to, static_cast<std::int64_t>(at), 0});
      ++out_.back().count;
    }
  }
  in_ = out_;
  std::ranges::stable_sort(in_, {}, &Shipment::to);
  out_begin_ = begins(out_, &Shipment::from, layout.ranks());
  in_begin_ = begins(in_, &Shipment::to, layout.ranks());
}

}  // namespace phasewise::atmosphere
