#include "contention/matching.hpp"

#include <bit>
#include <utility>

namespace phasewise::contention {

Matching::Matching(std::size_t ranks) : buckets_(std::bit_ceil(4 * ranks + 2), -1) {}

int& Matching::bucket_of(const Way& way) {
  // Multiplicative hashing by 2^64 over the golden ratio (Knuth, The Art of Computer Programming,
  // volume 3, section 6.4).
  constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;
  const std::uint64_t key = (static_cast<std::uint64_t>(way.from) << 34) +
                            (static_cast<std::uint64_t>(way.to) << 3) + way.channel;
  return buckets_[key * spread >> (64 - std::countr_zero(buckets_.size()))];
}

int Matching::post(const Way& way, int Message::*end, int who) {
  for (int* place = &bucket_of(way); *place >= 0; place = &messages_[*place].next) {
    const int number = *place;
    Message& message = messages_[number];
    if (message.way != way || message.*end >= 0) continue;
    *place = message.next;
    --open_;
    message.*end = who;
    return number;
  }
  const int number = take();
  messages_[number] = {.way = way};
  messages_[number].*end = who;
  if (++open_ > std::ssize(buckets_)) widen();
  append(number);
  return number;
}

int Matching::post_alone(const Way& way, int sender) {
  const int number = take();
  messages_[number] = {.way = way};
  messages_[number].one_sided = true;
  messages_[number].sender = sender;
  return number;
}

int Matching::take() {
  if (free_.empty()) {
    messages_.emplace_back();
    return static_cast<int>(messages_.size()) - 1;
  }
  const int number = free_.back();
  free_.pop_back();
  return number;
}

void Matching::append(int number) {
  int* place = &bucket_of(messages_[number].way);
  while (*place >= 0) place = &messages_[*place].next;
  *place = number;
  messages_[number].next = -1;
}

void Matching::widen() {
  const std::vector<int> lists = std::exchange(buckets_, std::vector<int>(2 * buckets_.size(), -1));
  for (int number : lists)
    while (number >= 0) {
      const int next = messages_[number].next;
      append(number);
      number = next;
    }
}

}  // namespace phasewise::contention
