// Independent works whose kernels share a device's launches. Each work queues its kernels until it
// must wait for one; when all of them wait, equal kernels of several works become one launch.
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <vector>

namespace phasewise::parallel {

class Together {
 public:
  Together() = default;
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;
  virtual ~Together() = default;

  // Work that is queued from now on belongs to this member, in [0, members).
  virtual void begin(int member, int members) = 0;
  // Work that is requested from now on is done at once.
  virtual void end() = 0;
  // Does what all members queued, and waits for it.
  virtual void do_queued() = 0;
  // Forgets what is queued, after a failure.
  virtual void forget() = 0;
  // A member calls `pause` when it must wait for what it queued.
  virtual void set_pause(void (*pause)()) = 0;
};

// Runs the works to their ends in this thread. Returns what each of them threw, or null. If the
// device fails, all works that have not ended fail.
std::vector<std::exception_ptr> do_together(Together& together,
                                            std::span<const std::function<void()>> works);

}  // namespace phasewise::parallel
