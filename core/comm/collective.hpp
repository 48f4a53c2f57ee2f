// Runs a collective of the library: at once, or started and finished later.
#pragma once

#include <cstddef>
#include <memory>

#include "comm/communicator.hpp"
#include "exchange/collective.hpp"

namespace phasewise::comm {

// A collective under way. The destructor waits for it, unless an exception is the reason.
class PendingCollective {
 public:
  PendingCollective();
  PendingCollective(PendingCollective&&) noexcept;
  PendingCollective& operator=(PendingCollective&&) noexcept;
  ~PendingCollective();

  // Starts it among the members of a communicator. broadcast, sum and barrier work in place, on
  // `to`; the others read `from`. The memory must not be touched until the collective is done. A
  // single member only copies. Throws std::length_error if a count exceeds MPI's int.
  static PendingCollective start(const Communicator& members,
                                 const exchange::Collective& collective, const std::byte* from,
                                 std::byte* to);
  // Lets the library make progress; returns whether it is done.
  bool test();
  void wait();

 private:
  struct Started;
  explicit PendingCollective(std::unique_ptr<Started> started);
  std::unique_ptr<Started> started_;  // null once done
};

}  // namespace phasewise::comm
