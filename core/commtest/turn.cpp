#include "commtest/turn.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace phasewise::commtest {
namespace {

using workload::Listener;

// The values of the bytes have a prime period, so that messages, pieces or exchanges in the wrong
// place differ.
constexpr std::int64_t period = 251;
constexpr auto sequence = [] {
  std::array<std::byte, 2 * period> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(i % period);
  return values;
}();

// One item is a byte.
parallel::KernelCard fill_card() {
  return {.name = "fill", .flops = 0.0, .bytes = 1.0, .vectorised = false};
}
parallel::KernelCard check_card() {
  return {.name = "check", .flops = 0.0, .bytes = 1.0, .vectorised = false};
}

double bytes_of(const auto& stretches) {
  double all = 0.0;
  for (const auto& stretch : stretches) all += static_cast<double>(stretch.bytes);
  return all;
}

// Calls f(bytes, their expected values, count) for at most one period of the memory at a time.
template <class F>
void by_period(std::byte* memory, std::int64_t bytes, std::size_t first, F&& f) {
  for (std::int64_t at = 0; at < bytes; at += period)
    f(memory + at, sequence.data() + first, static_cast<std::size_t>(std::min(period, bytes - at)));
}

}  // namespace

Turn::Turn(const Description& description, const Role& role, const std::vector<int>& nodes,
           int rank, workload::Contents contents)
    : description_(description), role_(role), nodes_(nodes), rank_(rank), layout_(description) {
  set_manner(description.manner);
  if (contents == workload::Contents::none) return;
  memory_.reserve(layout_.bytes());
  std::fill_n(memory_.data(), memory_.size(), std::byte{0});
}

void Turn::set_manner(const Manner& manner) {
  exchanges_ = exchanges_of(description_, manner, role_, nodes_, rank_);
}

void Turn::exchange_as(const workload::Parameters& parameters) {
  const Manner manner = read_manner(parameters, description_);
  parameters.check_all_used();
  set_manner(manner);
}

std::vector<workload::Value> Turn::record() const {
  return description_.verify ? checks_.record() : std::vector<workload::Value>{};
}

void Turn::tell(const workload::Piece& /*piece*/, Listener& listener) {
  const bool verify = description_.verify;
  if (verify && !role_.idle()) listener.kernel(fill_card(), bytes_of(made()), [&] { fill(); });
  const std::size_t now = static_cast<std::size_t>(number()) % exchanges_.size();
  exchange_within({memory_.data(), layout_.bytes()}, exchanges_[now], listener);
  if (!verify) return;
  checks_.clear();
  if (!role_.idle()) listener.kernel(check_card(), bytes_of(expected()), [&] { check(); });
  checks_.sum(listener);
}

// What this rank sends and has not received before.
std::vector<Turn::Stretch> Turn::made() const {
  if (role_.idle()) return {};
  if (description_.operation != Operator::swap && !role_.leads) {
    if (description_.operation == Operator::echo) return {};
    return {{layout_.answer_made(), answer_bytes, rank_, 0}};
  }
  std::vector<Stretch> result;
  result.reserve(description_.messages());
  for (int message = 0; message < description_.messages(); ++message)
    result.push_back({layout_.made(message), description_.bytes, rank_, message});
  return result;
}

// What arrives here, and who made it: in an echo the leader did.
std::vector<Turn::Stretch> Turn::expected() const {
  if (role_.idle()) return {};
  if (description_.operation == Operator::stream && role_.leads)
    return {{layout_.answer_arrived(), answer_bytes, role_.peer, 0}};
  const bool own = description_.operation == Operator::echo && role_.leads;
  std::vector<Stretch> result;
  result.reserve(description_.messages());
  for (int message = 0; message < description_.messages(); ++message)
    result.push_back(
        {layout_.arrived(message), description_.bytes, own ? rank_ : role_.peer, message});
  return result;
}

std::span<const std::byte> Turn::arrived() const {
  const std::vector<Stretch> stretches = expected();
  if (stretches.empty() || memory_.size() == 0) return {};
  const Stretch& last = stretches.back();
  return memory_.span().subspan(static_cast<std::size_t>(last.offset),
                                static_cast<std::size_t>(last.bytes));
}

std::size_t Turn::first_value(const Stretch& stretch) const {
  return static_cast<std::size_t>((7 * number() + 13 * stretch.maker + 89 * stretch.message) %
                                  period);
}

void Turn::fill() {
  for (const Stretch& stretch : made())
    by_period(memory_.data() + stretch.offset, stretch.bytes, first_value(stretch),
              [](std::byte* bytes, const std::byte* values, std::size_t count) {
                std::memcpy(bytes, values, count);
              });
}

void Turn::check() {
  for (const Stretch& stretch : expected())
    by_period(memory_.data() + stretch.offset, stretch.bytes, first_value(stretch),
              [&](const std::byte* bytes, const std::byte* values, std::size_t count) {
                std::int64_t wrong = 0, sum = 0;
                for (std::size_t i = 0; i < count; ++i) {
                  wrong += bytes[i] == values[i] ? 0 : 1;
                  sum += static_cast<std::int64_t>(bytes[i]);
                }
                checks_.add(wrong, sum);
              });
}

}  // namespace phasewise::commtest
