#include "comm/agreed_start.hpp"

#include <thread>

#include "comm/communicator.hpp"
#include "parallel/clock.hpp"

namespace phasewise::comm {

bool wait_until(double time) {
  const auto ahead = [&] { return time - parallel::clock().now(); };
  if (ahead() < 0.0) return false;
  if (simulated()) {
    pass(ahead());  // a simulated clock stands still while it is read
    return true;
  }
  for (double left = ahead(); left > 0.0; left = ahead())
    if (left > spin) std::this_thread::yield();
  return true;
}

}  // namespace phasewise::comm
