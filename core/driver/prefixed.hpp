// The turn of a part of a composite as the whole's listener receives it: the names of phases and
// kernels begin with the part's name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/listener.hpp"

namespace phasewise::driver {

// A part's names with the composite's prefix. They live as long as this object.
class PartNames {
 public:
  explicit PartNames(std::string prefix) : prefix_(std::move(prefix)) {}

  const std::string& prefix() const { return prefix_; }
  std::string_view of(std::string_view own) {
    const auto found = names_.find(own);
    if (found != names_.end()) return found->second;
    return names_.emplace(own, prefix_ + std::string(own)).first->second;
  }
  // Returns the part's own name.
  std::string_view own(std::string_view name) const { return name.substr(prefix_.size()); }

 private:
  std::string prefix_;
  std::map<std::string, std::string, std::less<>> names_;
};

// For listeners that look at messages: exchanges are copied so that they can be renamed.
class Prefixed : public workload::Listener {
 public:
  Prefixed(workload::Listener& hears, PartNames& names) : hears_(hears), names_(names) {}

  using workload::Listener::max;
  using workload::Listener::sum;
  void kernel(const parallel::KernelCard& card, double items,
              const std::function<void()>& work) override {
    parallel::KernelCard named = card;
    named.name = names_.of(card.name);
    hears_.kernel(named, items, work);
  }
  void sum(std::string_view phase, std::span<double> values,
           const exchange::TeamPointer& team) override {
    hears_.sum(names_.of(phase), values, team);
  }
  void sum(std::string_view phase, std::span<std::int64_t> values,
           const exchange::TeamPointer& team) override {
    hears_.sum(names_.of(phase), values, team);
  }
  void max(std::string_view phase, std::span<double> values,
           const exchange::TeamPointer& team) override {
    hears_.max(names_.of(phase), values, team);
  }
  void start(exchange::Channel channel, const Exchanges& exchanges) override {
    hears_.start(channel, [&](exchange::Works& works) {
      const std::size_t before = works.size();
      exchanges(works);
      for (exchange::Work& work : std::span(works).subspan(before)) {
        const auto named = std::make_shared<exchange::Exchange>(*work.exchange);
        named->phase = names_.of(named->phase);
        work.exchange = named;
      }
    });
  }
  void start_collective(const exchange::Collective& collective, const std::byte* from,
                        std::byte* to) override {
    exchange::Collective named = collective;
    named.phase = names_.of(collective.phase);
    hears_.start_collective(named, from, to);
  }
  void compute(std::string_view name, double seconds) override {
    hears_.compute(names_.of(name), seconds);
  }
  void post(const exchange::PostedMessage& message) override {
    exchange::PostedMessage named = message;
    named.phase = names_.of(message.phase);
    hears_.post(named);
  }
  void wait(std::string_view phase, std::span<const int> requests) override {
    hears_.wait(names_.of(phase), requests);
  }
  void progress(exchange::Channel channel) override { hears_.progress(channel); }
  void finish(exchange::Channel channel) override { hears_.finish(channel); }
  void if_needed(std::string_view piece, const std::function<void()>& actions) override {
    hears_.if_needed(names_.of(piece), actions);
  }
  void transpose(const exchange::TransposeExchange& exchange, const exchange::ItemBuffer& from,
                 const exchange::ItemBuffer& to) override {
    exchange::TransposeExchange named = exchange;
    named.phase = names_.of(exchange.phase);
    hears_.transpose(named, from, to);
  }

 private:
  workload::Listener& hears_;
  PartNames& names_;
};

}  // namespace phasewise::driver
