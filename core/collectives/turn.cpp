#include "collectives/turn.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace phasewise::collectives {
namespace {

using workload::Listener;

constexpr std::int64_t period = 1009;  // prime, so that values in the wrong place differ
constexpr int polls = 16;              // calls of progress() between start and end

// One item is a value.
parallel::KernelCard fill_card() {
  return {.name = "fill", .flops = 0.0, .bytes = 8.0, .vectorised = false};
}
parallel::KernelCard check_card() {
  return {.name = "check", .flops = 1.0, .bytes = 8.0, .vectorised = false};
}
// One item is a flop.
parallel::KernelCard compute_card() {
  return {.name = "compute", .flops = 1.0, .bytes = 0.0, .vectorised = false};
}

}  // namespace

Turn::Turn(const Description& description, const std::vector<int>& nodes, int rank,
           workload::Contents contents)
    : description_(description),
      nodes_(nodes),
      ranks_(static_cast<int>(nodes.size())),
      rank_(rank),
      layout_(description, ranks_, rank) {
  set_manner(description.manner);
  if (contents == workload::Contents::none) return;
  memory_.reserve(2 * layout_.half / 8);
  std::fill_n(memory_.data(), memory_.size(), 0.0);
}

void Turn::set_manner(const Manner& manner) {
  manner_ = manner;
  if (description_.operation == Operator::sum) {
    const auto count = static_cast<std::size_t>(description_.bytes / 8);
    const auto team = exchange::team_of_all(static_cast<int>(nodes_.size()), rank_, nodes_);
    sum_.emplace(workload::SumSetting{.phase = phase_of(Operator::sum),
                                      .algorithm = sum_algorithm(manner.algorithm)},
                 team, nodes_, static_cast<int>(count));
    parts_.resize(count);
    sums_.resize(count);
    return;
  }
  exchanges_ = exchanges_of(description_, manner, nodes_, rank_);
  call_ = library_call(description_, nodes_, rank_);
  result_ = result_at(description_, manner, nodes_, rank_);
}

void Turn::exchange_as(const workload::Parameters& parameters) {
  const Manner manner = read_manner(parameters, description_.operation);
  parameters.check_all_used();
  set_manner(manner);
}

std::vector<workload::Value> Turn::record() const {
  return description_.verify ? checks_.record() : std::vector<workload::Value>{};
}

void Turn::tell(const workload::Piece& /*piece*/, Listener& listener) {
  const std::int64_t whole = layout_.half / 8;
  const auto values = static_cast<double>(whole);
  if (description_.verify) listener.kernel(fill_card(), values, [&] { fill(); });
  start(listener);
  if (description_.blocking) finish(listener);
  if (description_.work > 0.0) compute(listener, description_.work);
  if (!description_.blocking) finish(listener);
  if (!description_.verify) return;
  checks_.clear();
  listener.kernel(check_card(), values, [&] { check(); });
  checks_.sum(listener);
}

void Turn::start(Listener& listener) {
  if (sum_) {
    description_.blocking ? sum_->run(listener, parts_, sums_) : sum_->start(listener, parts_);
    return;
  }
  auto* const memory = reinterpret_cast<std::byte*>(memory_.data());
  if (manner_.algorithm == Algorithm::library) {
    const std::int64_t at = in_place(call_.kind) ? 0 : layout_.half;
    listener.start_collective(call_, memory, memory == nullptr ? nullptr : memory + at);
    return;
  }
  if (result_ > 0 && memory != nullptr && description_.operation == Operator::allreduce)
    std::fill_n(memory + result_, description_.bytes, std::byte{0});  // a second register
  listener.start(exchange::common_channel, [&](exchange::Works& works) {
    const exchange::ItemBuffer buffer(memory, 2 * layout_.half);
    for (const exchange::ExchangePointer& exchange : exchanges_)
      works.push_back({exchange::lent(exchange), buffer, buffer});
  });
}

void Turn::finish(Listener& listener) {
  if (!sum_)
    listener.finish(exchange::common_channel);
  else if (!description_.blocking)
    sum_->finish(listener, sums_);
}

void Turn::compute(Listener& listener, double flops) {
  const int parts = description_.blocking ? 1 : polls;
  for (int i = 0; i < parts; ++i) {
    listener.kernel(compute_card(), flops / parts, [&] { work(flops / parts); });
    if (!description_.blocking) listener.progress(exchange::common_channel);
  }
}

void Turn::work(double flops) {
  const auto times = static_cast<std::int64_t>(flops / (2.0 * computed_.size()));
  for (std::int64_t i = 0; i < times; ++i)
    for (double& x : computed_) x = x * 0.9999 + 1e-4;
}

double Turn::value(int rank, int block, std::int64_t place) const {
  return static_cast<double>((7 * number() + 13 * rank + 31 * block + place) % period);
}

double Turn::sum_over_ranks(int block, std::int64_t place, int end) const {
  double sum = 0.0;
  for (int rank = 0; rank < end; ++rank) sum += value(rank, block, place);
  return sum;
}

// Terms whose sums are not exact in double precision.
double Turn::exact_term(int rank, int number) const {
  return (value(rank, number, 0) - 500.0) / (3.0 + number);
}

template <class F>
void Turn::for_each_given(F&& f) const {
  const auto values = [&](std::int64_t at, int block, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes / 8; ++i) f(at / 8 + i, value(rank_, block, i));
  };
  switch (description_.operation) {
    case Operator::broadcast:
      if (rank_ == 0) values(0, 0, description_.bytes);
      break;
    case Operator::allreduce:
    case Operator::reduce:
    case Operator::scan:
    case Operator::exclusive_scan:
      values(0, 0, description_.bytes);
      break;
    case Operator::scatter:
      for (int block = 0; rank_ == 0 && block < ranks_; ++block)
        values(layout_.out(block), block, description_.bytes);
      break;
    case Operator::allgather:
    case Operator::gather:
      values(0, rank_, description_.bytes);
      values(layout_.half + layout_.in(rank_), rank_, description_.bytes);
      break;
    case Operator::reduce_scatter:
    case Operator::alltoall:
    case Operator::alltoallv:
      for (int block = 0; block < ranks_; ++block)
        values(layout_.out(block), block, block_bytes(description_, rank_, block));
      break;
    default:
      break;
  }
}

template <class F>
void Turn::for_each_got(F&& f) const {
  const auto values = [&](std::int64_t at, std::int64_t bytes, auto&& expected) {
    for (std::int64_t i = 0; i < bytes / 8; ++i) f(at / 8 + i, expected(i));
  };
  switch (description_.operation) {
    case Operator::broadcast:
      values(0, description_.bytes, [&](std::int64_t i) { return value(0, 0, i); });
      break;
    case Operator::allreduce:
      values(result_, description_.bytes, [&](std::int64_t i) { return sum_over_ranks(0, i); });
      break;
    case Operator::reduce_scatter:
      values(result_, description_.bytes, [&](std::int64_t i) { return sum_over_ranks(rank_, i); });
      break;
    case Operator::reduce:
      if (rank_ == 0)
        values(result_, description_.bytes, [&](std::int64_t i) { return sum_over_ranks(0, i); });
      break;
    case Operator::scan:
    case Operator::exclusive_scan: {
      const int end = rank_ + (description_.operation == Operator::scan ? 1 : 0);
      if (end > 0)
        values(result_, description_.bytes,
               [&](std::int64_t i) { return sum_over_ranks(0, i, end); });
      break;
    }
    case Operator::scatter:
      values(result_, description_.bytes, [&](std::int64_t i) { return value(0, rank_, i); });
      break;
    case Operator::gather:
      if (rank_ != 0) break;
      [[fallthrough]];
    case Operator::allgather:
    case Operator::alltoall:
    case Operator::alltoallv:
      for (int from = 0; from < ranks_; ++from) {
        const bool own = description_.operation == Operator::allgather ||
                         description_.operation == Operator::gather;
        const int block = own ? from : rank_;
        values(layout_.half + layout_.in(from), block_bytes(description_, from, rank_),
               [&](std::int64_t i) { return value(from, block, i); });
      }
      break;
    default:
      break;
  }
}

void Turn::fill() {
  for (int i = 0; sum_ && i < std::ssize(parts_); ++i) {
    parts_[i] = {};
    parts_[i].add(exact_term(rank_, i));
  }
  std::fill_n(memory_.data(), memory_.size(), -1.0);
  for_each_given([&](std::int64_t at, double value) { memory_[at] = value; });
}

void Turn::compare(double found, double expected) {
  const bool same = std::bit_cast<std::uint64_t>(found) == std::bit_cast<std::uint64_t>(expected);
  checks_.add(same ? 0 : 1, static_cast<std::int64_t>(found));
}

void Turn::check() {
  for (int i = 0; sum_ && i < std::ssize(sums_); ++i) {
    numerics::LongAccumulator all;
    for (int rank = 0; rank < ranks_; ++rank) all.add(exact_term(rank, i));
    compare(sums_[i], all.value());
  }
  for_each_got([&](std::int64_t at, double value) { compare(memory_[at], value); });
}

}  // namespace phasewise::collectives
