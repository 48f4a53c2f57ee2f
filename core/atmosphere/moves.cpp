#include "atmosphere/moves.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "atmosphere/phases.hpp"
#include "exchange/neighbour_exchange.hpp"

namespace phasewise::atmosphere {
namespace {

constexpr std::int64_t value_bytes = sizeof(double);

// One item is a column, copied to or from the memory of the library's all-to-all.
parallel::KernelCard copy_card(std::int64_t bytes) {
  return {.name = "pack",
          .flops = 0.0,
          .bytes = 2.0 * static_cast<double>(bytes),
          .vectorised = false,
          .touched = 2.0 * static_cast<double>(bytes)};
}

}  // namespace

Moves::Moves(const Schedule& schedule, const Layout& layout, const Manner& manner,
             const ColumnBytes& bytes, const exchange::TeamPointer& team)
    : bytes_(bytes), team_(team) {
  const auto own = layout.columns(team->me);
  for (const Shipment& shipment : schedule.from(team->me)) {
    Part part{shipment.to, shipment.count, {}};
    for (const std::int32_t column : schedule.columns(shipment)) {
      const std::int64_t place = std::ranges::lower_bound(own, column) - own.begin();
      if (!part.runs.empty() && part.runs.back().first + part.runs.back().count == place)
        ++part.runs.back().count;
      else
        part.runs.push_back({place, 1});
    }
    gone_ += shipment.count;
    away_.push_back(std::move(part));
  }
  for (const Shipment& shipment : schedule.to(team->me)) {
    const std::int64_t first = std::ssize(own) + guests_;
    hosted_.push_back({shipment.from, shipment.count, {{first, shipment.count}}});
    guests_ += shipment.count;
  }
  if (manner.moves == MoveBy::messages) {
    out_ = messages(way(true), manner.protocol);
    back_ = messages(way(false), manner.protocol);
  } else {
    all_out_ = all_to_all(way(true), true);
    all_back_ = all_to_all(way(false), false);
  }
}

Moves::Way Moves::way(bool out) const {
  if (out) return {phases::columns_out, bytes_.out, away_, hosted_};
  return {phases::columns_back, bytes_.back, hosted_, away_};
}

exchange::Region Moves::region_of(const Run& run, std::int64_t bytes) const {
  const std::int64_t pitch = value_bytes * bytes_.pitch;
  exchange::Region region{.offset = run.first * pitch, .run = bytes, .repeats = nullptr};
  if (run.count > 1)
    region.repeats = std::make_shared<const std::vector<exchange::Repeat>>(
        1, exchange::Repeat{run.count, pitch});
  return region;
}

exchange::ExchangePointer Moves::messages(const Way& way, exchange::Protocol protocol) const {
  exchange::NeighbourExchange messages(way.phase, exchange::common_channel, protocol, team_->nodes,
                                       team_->me);
  const auto regions = [&](const Part& part) {
    std::vector<exchange::Region> found;
    found.reserve(part.runs.size());
    for (const Run& run : part.runs) found.push_back(region_of(run, way.bytes));
    return found;
  };
  for (const Part& part : way.leave) messages.send(part.other, regions(part));
  for (const Part& part : way.come) messages.receive(part.other, regions(part));
  return messages.done();
}

// On the side of their owner, columns lie one after the other in the staging memory.
exchange::TransposeExchange Moves::all_to_all(const Way& way, bool out) const {
  const auto members = team_->ranks.size();
  std::vector<exchange::Region> staged(members), hosted(members);
  std::int64_t at = 0, block = 0;
  for (const Part& part : away_) {
    staged[part.other] = {.offset = at, .run = part.columns * way.bytes, .repeats = nullptr};
    at += part.columns * way.bytes;
    block = std::max(block, part.columns * way.bytes);
  }
  for (const Part& part : hosted_) {
    hosted[part.other] = region_of(part.runs.front(), way.bytes);
    block = std::max(block, part.columns * way.bytes);
  }
  const auto shared = [](std::vector<exchange::Region> regions) {
    return std::make_shared<const std::vector<exchange::Region>>(std::move(regions));
  };
  const auto mine = shared(std::move(staged)), of_others = shared(std::move(hosted));
  exchange::TransposeExchange exchange;
  exchange.phase = way.phase;
  exchange.team = team_;
  exchange.algorithm = exchange::Transpose::alltoallw;
  exchange.grids = 1;
  exchange.block = block;
  exchange.from = out ? mine : of_others;
  exchange.to = out ? of_others : mine;
  exchange.equal_blocks = false;
  return exchange;
}

exchange::Exchanges Moves::exchanges() const {
  if (out_ == nullptr) return {};
  return {out_, back_};
}

void Moves::tell_messages(workload::Listener& listener, double* memory, std::int64_t columns,
                          const exchange::ExchangePointer& exchange) const {
  const exchange::ItemBuffer buffer(memory, columns * bytes_.pitch);
  listener.start(exchange->channel, [&](exchange::Works& works) {
    works.push_back({exchange, buffer, buffer});
  });
  listener.finish(exchange->channel);
}

void Moves::tell_copy(workload::Listener& listener, double* memory, std::int64_t bytes, bool out) {
  listener.kernel(copy_card(bytes), static_cast<double>(gone_), [&] {
    auto* staged = reinterpret_cast<std::byte*>(staging_.data());
    for (const Part& part : away_)
      for (const Run& run : part.runs)
        for (std::int64_t n = 0; n < run.count; ++n, staged += bytes) {
          double* const column = memory + (run.first + n) * bytes_.pitch;
          if (out)
            std::memcpy(staged, column, static_cast<std::size_t>(bytes));
          else
            std::memcpy(column, staged, static_cast<std::size_t>(bytes));
        }
  });
}

void Moves::out(workload::Listener& listener, double* memory, std::int64_t columns) {
  if (out_ != nullptr) return tell_messages(listener, memory, columns, out_);
  if (memory != nullptr) staging_.reserve(gone_ * bytes_.pitch + 1);
  tell_copy(listener, memory, bytes_.out, true);
  listener.transpose(all_out_, {staging_.data(), gone_ * bytes_.pitch},
                     {memory, columns * bytes_.pitch});
}

void Moves::back(workload::Listener& listener, double* memory, std::int64_t columns) {
  if (back_ != nullptr) return tell_messages(listener, memory, columns, back_);
  listener.transpose(all_back_, {memory, columns * bytes_.pitch},
                     {staging_.data(), gone_ * bytes_.pitch});
  tell_copy(listener, memory, bytes_.back, false);
}

}  // namespace phasewise::atmosphere
