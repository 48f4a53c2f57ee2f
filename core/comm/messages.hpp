// Point-to-point messages, and waiting for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace phasewise::comm {

// Messages between two ranks on one channel match in the order in which both list them.
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
  Pending();
  Pending(Pending&&) noexcept;
  Pending& operator=(Pending&&) noexcept;
  ~Pending();

  // Lets the library make progress; returns whether all messages are done.
  bool test();
  // Returns when all messages are done.
  void wait();
  bool done() const { return posted_ == nullptr; }

  // For the sources that post messages. What was posted is used again when it is done, so that a
  // round allocates no memory.
  struct Posted;
  struct GiveBack {
    void operator()(Posted* posted) const;
  };
  using PostedPointer = std::unique_ptr<Posted, GiveBack>;
  explicit Pending(PostedPointer posted);

 private:
  PostedPointer posted_;
};

}  // namespace phasewise::comm
