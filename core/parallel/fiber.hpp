// A function with a stack of its own, which pauses and goes on in the thread that runs it.
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
  // To be called when the function has ended; else its objects are never destroyed.
  ~Fiber();

  // What is to be done by the next calls of `go_on`.
  void start(std::function<void()> work);
  // Returns when the work pauses or ends. Where `failure` is given, the pause throws it.
  void go_on(std::exception_ptr failure = nullptr);
  bool ended() const { return ended_; }
  // What the work threw.
  std::exception_ptr failure() const { return failure_; }

  // Back to where the fiber that calls this was made to go on.
  static void pause();

 private:
  static void enter();
  void arrived();

  std::function<void()> work_;
  ucontext_t own_{}, caller_{};
  std::byte* memory_ = nullptr;  // the stack, and below it a guard, which nobody may touch
  const void* caller_stack_ = nullptr;
  std::size_t caller_size_ = 0;
  std::exception_ptr failure_, thrown_at_pause_;
  bool ended_ = true;
};

}  // namespace phasewise::parallel
