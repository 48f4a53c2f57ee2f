#include "parallel/together.hpp"

#include <memory>

#include "parallel/fiber.hpp"

namespace phasewise::parallel {
namespace {

using Fibers = std::vector<std::unique_ptr<Fiber>>;

// Each fiber goes on until it must wait, or ends. Returns false if all have ended.
bool go_on(Together& together, const Fibers& fibers, const std::exception_ptr& failure) {
  bool any = false;
  const int count = static_cast<int>(fibers.size());
  for (int i = 0; i < count; ++i) {
    if (fibers[i]->ended()) continue;
    together.begin(i, count);
    fibers[i]->go_on(failure);
    together.end();
    any = true;
  }
  return any;
}

}  // namespace

std::vector<std::exception_ptr> do_together(Together& together,
                                            std::span<const std::function<void()>> works) {
  // Stacks are kept for the next turn.
  static thread_local Fibers kept;
  while (kept.size() < works.size()) kept.push_back(std::make_unique<Fiber>());
  Fibers fibers;
  for (const std::function<void()>& work : works) {
    fibers.push_back(std::move(kept.back()));
    kept.pop_back();
    fibers.back()->start(work);
  }
  together.set_pause(&Fiber::pause);
  std::exception_ptr failure;
  while (go_on(together, fibers, failure)) {
    if (failure) continue;
    try {
      together.do_queued();
    } catch (...) {
      failure = std::current_exception();
    }
    if (failure) together.forget();
  }
  if (failure) together.forget();
  std::vector<std::exception_ptr> result;
  for (std::unique_ptr<Fiber>& fiber : fibers) {
    result.push_back(fiber->failure());
    kept.push_back(std::move(fiber));
  }
  return result;
}

}  // namespace phasewise::parallel
