// A device's memory for tests of exchanges, in the host's memory. Queued work is done when it is
// waited for and not before, so that a message that is sent or read too early is wrong.
#pragma once

#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "exchange/host_memory.hpp"

namespace phasewise::bindings {

class QueuedMemory final : public exchange::Memory {
 public:
  std::byte* allocate(std::int64_t bytes) override {
    std::byte* made = host_.allocate(bytes);
    std::memset(made, 0xff, static_cast<std::size_t>(bytes));
    return made;
  }
  void release(std::byte* data) override {
    wait();
    host_.release(data);
  }
  void copy(std::span<const exchange::Copy> copies) override {
    queue_.emplace_back([this, all = listed(copies)] { host_.copy(all); });
  }
  void add(std::span<const exchange::Copy> terms) override {
    queue_.emplace_back([this, all = listed(terms)] { host_.add(all); });
  }
  void zero(std::byte* data, std::int64_t bytes) override {
    queue_.emplace_back([this, data, bytes] { host_.zero(data, bytes); });
  }
  void wait() override {
    for (const auto& work : std::exchange(queue_, {})) work();
  }

 private:
  static exchange::Copies listed(std::span<const exchange::Copy> copies) {
    return {copies.begin(), copies.end()};
  }
  exchange::HostMemory host_{1};
  std::vector<std::function<void()>> queue_;
};

}  // namespace phasewise::bindings
