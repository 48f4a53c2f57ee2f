// Keeps the most recently used transforms of Green functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <utility>

namespace phasewise::field {

// Transform has a member `key`, which says what the transform depends on.
template <class Transform>
class GreenCache {
 public:
  using Key = decltype(Transform::key);
  using Pointer = std::shared_ptr<const Transform>;

  void set_capacity(std::size_t capacity) { capacity_ = capacity; }
  void clear() { kept_.clear(); }

  // Returns null if the transform is not kept. Processes that call find and keep in the same order
  // find the same.
  Pointer find(const Key& key) {
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const auto& kept) { return kept->key == key; });
    if (found == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, found);
    return kept_.front();
  }
  // Keeps a transform; if the cache is full, it drops the least recently used one.
  Pointer keep(Pointer transform) {
    kept_.push_front(transform);
    if (kept_.size() > capacity_) kept_.pop_back();
    return transform;
  }

 private:
  std::size_t capacity_ = 8;
  std::list<Pointer> kept_;  // most recent first
};

}  // namespace phasewise::field
