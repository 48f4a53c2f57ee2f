// The messages and collectives of a program that was recorded: it posts them one by one, and waits
// for some of them by their requests. Their contents do not matter.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>

#include "comm/collective.hpp"
#include "comm/communicator.hpp"
#include "comm/message_buffer.hpp"
#include "exchange/posted_message.hpp"

namespace phasewise::comm {

class Requests {
 public:
  // Collective. What is posted must be waited for before the end.
  explicit Requests(const Communicator& world);
  ~Requests();
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  // Sends, receives, or lets the library do so later. Throws std::length_error if the message is
  // longer than MPI can count.
  void post(const exchange::PostedMessage& message);
  // Runs a collective among the members, or starts one that has a request.
  void start(const Communicator& members, const exchange::Collective& collective);
  // Waits for everything that has these requests; the time counts as that of the phase.
  void wait(std::string_view phase, std::span<const int> requests);

 private:
  struct Posted;
  void post_later(const exchange::PostedMessage& message, std::byte* data, int count);

  const Communicator& world_;
  std::unique_ptr<Posted> posted_;
  std::map<int, PendingCollective> collectives_;  // by request
  SkeletonMemory sent_, received_;
};

}  // namespace phasewise::comm
