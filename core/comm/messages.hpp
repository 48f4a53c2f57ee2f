// Point-to-point messages, and waiting for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace phasewise::comm {

// Messages between two ranks on one channel match in the order in which both ranks list them.
struct Message {
  int peer;  // among all ranks
  std::byte* data;
  std::int64_t bytes;
  bool operator==(const Message&) const = default;
};

// Messages in transit. Their memory must not be touched until all are done; the destructor waits
// for them.
class Pending {
 public:
  Pending() = default;
  Pending(Pending&&) noexcept = default;
  Pending& operator=(Pending&& other) noexcept {
    wait();
    posted_ = std::move(other.posted_);
    return *this;
  }
  // When a rank fails, all ranks are ended: it must not wait for messages that may never come.
  ~Pending() {
    if (!done() && std::uncaught_exceptions() == 0) wait();
  }

  // Lets the library make progress; returns whether all messages are done.
  bool test();
  // Returns when all messages are done.
  void wait() {
    if (!done()) wait_for_messages();
  }
  bool done() const { return posted_ == nullptr; }

  // For the sources that post messages. What was posted is reused once it is done, so that a round
  // allocates no memory.
  struct Posted;
  struct GiveBack {
    void operator()(Posted* posted) const;
  };
  using PostedPointer = std::unique_ptr<Posted, GiveBack>;
  explicit Pending(PostedPointer posted) : posted_(std::move(posted)) {}

 private:
  void wait_for_messages();
  PostedPointer posted_;
};

}  // namespace phasewise::comm
