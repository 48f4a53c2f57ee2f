// A function with a stack of its own, which can pause and go on in the thread that runs it.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <exception>
#include <functional>

namespace phasewise::parallel {

class Fiber {
 public:
  Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  // Destroy the fiber only after the function has ended; else the function's objects are never
  // destroyed.
  ~Fiber();

  // Sets what the next calls of `go_on` do.
  void start(std::function<void()> work);
  // Returns when the work pauses or ends. If `failure` is given, the pause throws it.
  void go_on(std::exception_ptr failure = nullptr);
  bool ended() const { return ended_; }
  // The exception that the work threw.
  std::exception_ptr failure() const { return failure_; }

  // Returns from the calling fiber to where `go_on` was called.
  static void pause();

 private:
  static void enter();
  void arrived();

  std::function<void()> work_;
  ucontext_t own_{}, caller_{};
  std::byte* memory_ = nullptr;  // the stack, and below it a guard that nobody may touch
  const void* caller_stack_ = nullptr;
  std::size_t caller_size_ = 0;
  std::exception_ptr failure_, thrown_at_pause_;
  bool ended_ = true;
};

}  // namespace phasewise::parallel
