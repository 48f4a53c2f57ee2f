#include "parallel/fiber.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

// The address sanitizer must be told of each change of stacks.
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#else
namespace {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void __sanitizer_start_switch_fiber(void**, const void*, std::size_t) {}
void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*) {}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}  // namespace
#endif

namespace phasewise::parallel {
namespace {

constexpr std::size_t guard = 64 << 10, stack = 1 << 20;  // B

thread_local Fiber* running = nullptr;

}  // namespace

Fiber::Fiber() {
  void* made = mmap(nullptr, guard + stack, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (made == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(made, guard, PROT_NONE) != 0) {
    munmap(made, guard + stack);
    throw std::bad_alloc();
  }
  memory_ = static_cast<std::byte*>(made);
}

Fiber::~Fiber() { munmap(memory_, guard + stack); }

void Fiber::start(std::function<void()> work) {
  work_ = std::move(work);
  failure_ = nullptr;
  ended_ = false;
  getcontext(&own_);
  own_.uc_stack.ss_sp = memory_ + guard;
  own_.uc_stack.ss_size = stack;
  own_.uc_link = nullptr;
  makecontext(&own_, &Fiber::enter, 0);
}

void Fiber::go_on(std::exception_ptr failure) {
  Fiber* before = std::exchange(running, this);
  thrown_at_pause_ = std::move(failure);
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, memory_ + guard, stack);
  swapcontext(&caller_, &own_);
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
  running = before;
}

// Called when a fiber's stack is entered, at its start and after a pause.
void Fiber::arrived() { __sanitizer_finish_switch_fiber(nullptr, &caller_stack_, &caller_size_); }

void Fiber::enter() {
  Fiber& self = *running;
  self.arrived();
  try {
    self.work_();
  } catch (...) {
    self.failure_ = std::current_exception();
  }
  self.work_ = nullptr;
  self.ended_ = true;
  __sanitizer_start_switch_fiber(nullptr, self.caller_stack_, self.caller_size_);
  setcontext(&self.caller_);
}

void Fiber::pause() {
  Fiber& self = *running;
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, self.caller_stack_, self.caller_size_);
  swapcontext(&self.own_, &self.caller_);
  __sanitizer_finish_switch_fiber(fake, &self.caller_stack_, &self.caller_size_);
  if (self.thrown_at_pause_) std::rethrow_exception(std::exchange(self.thrown_at_pause_, nullptr));
}

}  // namespace phasewise::parallel
