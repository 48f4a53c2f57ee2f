// Which send belongs to which receive while messages are under way: messages between two ranks on
// one channel match in order, as MPI's do.
#pragma once

#include <cstdint>
#include <vector>

#include "contention/program.hpp"

namespace phasewise::contention {

class Matching {
 public:
  // The sender and the receiver of a message, and its channel.
  struct Way {
    int from, to;
    std::int32_t channel;
    bool operator==(const Way&) const = default;
  };
  struct Message {
    Way way;
    bool arrived = false;
    bool eager = false;      // its sender does not wait for it
    bool one_sided = false;  // it has no receiver
    Company company = Company::none;
    // Whether the round that posted it ends without waiting for it.
    bool sender_keeps = false, receiver_keeps = false;
    int sender = -1, receiver = -1;  // who posted each end, in the caller's numbers; -1: nobody yet
    int next = -1;                   // next message in the list of its bucket
    std::int64_t bytes = 0;
    double sent = 0.0;  // when the sender posted it
  };

  explicit Matching(std::size_t ranks);

  // The number of the message that this end belongs to: the first one on this way of which only the
  // other end is posted, or a new one.
  int post_send(const Way& way, int sender) { return post(way, &Message::sender, sender); }
  int post_receive(const Way& way, int receiver) { return post(way, &Message::receiver, receiver); }
  // The number of a message that nobody receives.
  int post_alone(const Way& way, int sender);
  Message& operator[](int number) { return messages_[number]; }
  // Frees the number for another message.
  void forget(int number) { free_.push_back(number); }
  // The number of messages with only one end posted.
  int open() const { return open_; }
  // One of these messages for which `test` holds, or null.
  template <class Test>
  const Message* find_open(const Test& test) const {
    for (const int first : buckets_)
      for (int number = first; number >= 0; number = messages_[number].next)
        if (test(messages_[number])) return &messages_[number];
    return nullptr;
  }

 private:
  int post(const Way& way, int Message::*end, int who);
  int take();
  int& bucket_of(const Way& way);
  void append(int number);
  void widen();

  std::vector<Message> messages_;
  std::vector<int> free_;
  // Lists of open messages, by way; their number is a power of two.
  std::vector<int> buckets_;
  int open_ = 0;
};

}  // namespace phasewise::contention
