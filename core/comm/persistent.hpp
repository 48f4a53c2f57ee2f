// Messages that are repeated by MPI's persistent requests.
#pragma once

#include <memory>
#include <span>

#include "comm/communicator.hpp"

namespace phasewise::comm {

class PersistentMessages {
 public:
  // Makes the requests, receives first (SimGrid 3.32 deadlocks otherwise); the messages' memory
  // must stay in place. The peer's messages on this channel must be persistent too: their fixed tag
  // carries no time, so that a late sender is not detected.
  PersistentMessages(const Communicator& all, Channel channel, std::span<const Message> sends,
                     std::span<const Message> receives);
  ~PersistentMessages();
  PersistentMessages(PersistentMessages&&) noexcept;
  PersistentMessages& operator=(PersistentMessages&&) noexcept;

  // Whether the requests were made for these messages.
  bool are(std::span<const Message> sends, std::span<const Message> receives) const;
  // Starts all requests. Those of the last start must be done.
  [[nodiscard]] Pending start(const PhaseKey& phase) const;

 private:
  struct Requests;
  std::unique_ptr<Requests> requests_;
};

}  // namespace phasewise::comm
