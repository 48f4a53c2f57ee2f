// The exchanges of a rank that take columns out and back.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "atmosphere/column_bytes.hpp"
#include "atmosphere/schedule.hpp"
#include "exchange/exchange.hpp"
#include "parallel/buffer.hpp"
#include "workload/listener.hpp"

namespace phasewise::atmosphere {

// In the memory of a rank its own columns come first, and then those of others: by their owners,
// and ascending.
class Moves {
 public:
  // The team has all ranks, in their order.
  Moves(const Schedule& schedule, const Layout& layout, const Manner& manner,
        const ColumnBytes& bytes, const exchange::TeamPointer& team);

  // The columns of others that this rank computes, and its own that others do.
  std::int64_t guests() const { return guests_; }
  std::int64_t gone() const { return gone_; }
  // Those that all ranks prepare together.
  exchange::Exchanges exchanges() const;

  // `memory` has `columns` columns; null without data.
  void out(workload::Listener& listener, double* memory, std::int64_t columns);
  void back(workload::Listener& listener, double* memory, std::int64_t columns);

 private:
  // Columns that lie one after another in this rank's memory.
  struct Run {
    std::int64_t first, count;
  };
  // The columns that go to, or come from, another rank.
  struct Part {
    int other;
    std::int64_t columns;
    std::vector<Run> runs;
  };
  // One way: columns leave from some places here, and others come to other places.
  struct Way {
    std::string_view phase;
    std::int64_t bytes;  // of a column
    const std::vector<Part>&leave, &come;
  };

  Way way(bool out) const;
  exchange::Region region_of(const Run& run, std::int64_t bytes) const;
  exchange::ExchangePointer messages(const Way& way, exchange::Protocol protocol) const;
  exchange::TransposeExchange all_to_all(const Way& way, bool out) const;
  void tell_messages(workload::Listener& listener, double* memory, std::int64_t columns,
                     const exchange::ExchangePointer& exchange) const;
  void tell_copy(workload::Listener& listener, double* memory, std::int64_t bytes, bool out);

  ColumnBytes bytes_;
  exchange::TeamPointer team_;
  std::vector<Part> away_, hosted_;  // own columns elsewhere, and columns of others here
  std::int64_t guests_ = 0, gone_ = 0;
  exchange::ExchangePointer out_, back_;  // null for the library's all-to-all
  exchange::TransposeExchange all_out_, all_back_;
  parallel::Buffer<double> staging_;  // own columns elsewhere, for the library's all-to-all
};

}  // namespace phasewise::atmosphere
