// What protocols whose data arrive in a window share.
#pragma once

#include "comm/protocols/window.hpp"

namespace phasewise::comm {

class Windowed : public Carrier {
 public:
  Windowed(const RoundPlace& place, Overhead overhead)
      : group_(place.group),
        channel_(place.exchange->channel),
        overhead_(overhead),
        sends_(links_of(place, place.messages().sends)),
        receives_(links_of(place, place.messages().receives)),
        window_(place, receives_, sends_) {}

  bool gives_memory() const override { return true; }
  std::byte* incoming(std::size_t i) override { return window_.mine(i); }
  bool blocks() const override { return true; }

 protected:
  Posting begin(const RoundMessages& messages, bool timed) const {
    Posting posting(group_, messages.phase, channel_, overhead_, timed);
    posting.record(messages.sends, messages.receives);
    return posting;
  }
  void put_all(const Posting& posting, const RoundMessages& messages) const {
    for (std::size_t i = 0; i < sends_.size(); ++i)
      put(posting, messages.sends[i], sends_[i].peer_here, window_.theirs(i), window_.get());
  }

  const Communicator& group_;
  Channel channel_;
  Overhead overhead_;
  std::vector<Link> sends_, receives_;
  HalvedWindow window_;
};

}  // namespace phasewise::comm
