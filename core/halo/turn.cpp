#include "halo/turn.hpp"

#include <new>

#include "workload/protocols.hpp"

namespace phasewise::halo {
namespace {

using workload::Listener;

constexpr std::int64_t exact_in_float = 1 << 24;  // a float holds every integer up to this one

// One item is a cell at the edge of a rank's own part.
parallel::KernelCard fill_card() {
  return {.name = "fill", .flops = 0.0, .bytes = 8.0, .vectorised = false};
}
// One item is a cell of the halo.
parallel::KernelCard check_card() {
  return {.name = "check", .flops = 1.0, .bytes = 8.0, .vectorised = false};
}

}  // namespace

Turn::Turn(const Description& description, const std::array<int, 2>& grid,
           const std::vector<int>& nodes, int rank, workload::Contents contents)
    : description_(description), grid_(grid), nodes_(nodes), rank_(rank) {
  set_protocol(description.protocol);
  if (contents == workload::Contents::none) return;
  const auto cells = static_cast<std::size_t>(description.width() * description.width());
  array_.reset(static_cast<std::byte*>(std::calloc(cells, description.word)));
  if (array_ == nullptr) throw std::bad_alloc();
}

void Turn::set_protocol(exchange::Protocol protocol) {
  exchanges_ = exchanges_of(description_, grid_, nodes_, rank_, protocol);
}

void Turn::exchange_as(const workload::Parameters& parameters) {
  const exchange::Protocol protocol = workload::protocol_in(parameters);
  parameters.check_all_used();
  set_protocol(protocol);
}

std::vector<workload::Value> Turn::record() const {
  return description_.verify ? checks_.record() : std::vector<workload::Value>{};
}

void Turn::tell(const workload::Piece& /*piece*/, Listener& listener) {
  const double edge = 4.0 * static_cast<double>(description_.words);
  if (description_.verify) listener.kernel(fill_card(), edge, [&] { fill(); });
  const std::int64_t size = description_.word * description_.width() * description_.width();
  const exchange::ItemBuffer buffer(array_.get(), size);
  for (const exchange::ExchangePointer& exchange : exchanges_)
    exchange_within(buffer, exchange, listener);
  if (!description_.verify) return;
  checks_.clear();
  listener.kernel(check_card(), edge, [&] { check(); });
  checks_.sum(listener);
}

double Turn::cell(std::int64_t at) const {
  if (description_.word == 8) return reinterpret_cast<const double*>(array_.get())[at];
  return reinterpret_cast<const float*>(array_.get())[at];
}

void Turn::set_cell(std::int64_t at, double value) {
  if (description_.word == 8)
    reinterpret_cast<double*>(array_.get())[at] = value;
  else
    reinterpret_cast<float*>(array_.get())[at] = static_cast<float>(value);
}

// The value of a cell follows from its place in the periodic array of all ranks, and changes with
// each exchange, so that stale messages are detected.
double Turn::value(std::int64_t column, std::int64_t row) const {
  const std::int64_t n = description_.cells(), wide = n * grid_[0], high = n * grid_[1];
  const std::int64_t x = (column + wide) % wide, y = (row + high) % high;
  const std::int64_t most = description_.word == 8 ? workload::Checks::exact : exact_in_float;
  return static_cast<double>((y * wide + x + 7 * number()) % most);
}

// Calls f(place in the array, column and row among all cells of the ranks' parts) for a rectangle
// of cells, counted from the first cell of the rank's own part.
template <class F>
void Turn::for_each_cell(Range columns, Range rows, F&& f) const {
  const std::int64_t n = description_.cells(), h = description_.rows, width = description_.width();
  const auto [px, py] = place_of(grid_, rank_);
  for (std::int64_t row = rows.begin; row < rows.end; ++row)
    for (std::int64_t column = columns.begin; column < columns.end; ++column)
      f((row + h) * width + column + h, px * n + column, py * n + row);
}

// Sets the outermost cells of the rank's own part, since no others are sent.
void Turn::fill() {
  const std::int64_t n = description_.cells(), h = description_.rows;
  const auto set = [&](std::int64_t at, std::int64_t column, std::int64_t row) {
    set_cell(at, value(column, row));
  };
  for_each_cell({0, n}, {0, h}, set);
  for_each_cell({0, n}, {n - h, n}, set);
  for_each_cell({0, h}, {0, n}, set);
  for_each_cell({n - h, n}, {0, n}, set);
}

void Turn::check() {
  const std::int64_t n = description_.cells(), h = description_.rows;
  const auto compare = [&](std::int64_t at, std::int64_t column, std::int64_t row) {
    checks_.add(cell(at) == value(column, row) ? 0 : 1, static_cast<std::int64_t>(cell(at)));
  };
  for_each_cell({-h, 0}, {0, n}, compare);
  for_each_cell({n, n + h}, {0, n}, compare);
  for_each_cell({0, n}, {-h, 0}, compare);
  for_each_cell({0, n}, {n, n + h}, compare);
}

}  // namespace phasewise::halo
