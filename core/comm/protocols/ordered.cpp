// Blocking calls: pairs of ranks exchange one after another, the pair with the lowest ranks first,
// and of two ranks the lower one sends first. All ranks go through their pairs in the same order,
// so that none of them waits for ever.
#include <algorithm>
#include <vector>

#include "comm/protocols/carriers.hpp"
#include "comm/protocols/two_sided.hpp"

namespace phasewise::comm {
namespace {

class Ordered : public TwoSided {
 public:
  using TwoSided::TwoSided;

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages);
    // Sorted by peer, this rank's pairs come in the order of all pairs.
    peers_.clear();
    for (const Message& m : messages.sends) peers_.push_back(m.peer);
    for (const Message& m : messages.receives) peers_.push_back(m.peer);
    std::ranges::sort(peers_);
    peers_.erase(std::ranges::unique(peers_).begin(), peers_.end());
    for (const int peer : peers_) {
      if (me_ < peer) send_to(posting, messages, peer);
      for (const Message& m : messages.receives)
        if (m.peer == peer) receive(posting, m);
      if (me_ > peer) send_to(posting, messages, peer);
    }
    posting.finished();
    return {};
  }

 private:
  static void send_to(const Posting& posting, const RoundMessages& messages, int peer) {
    for (const Message& m : messages.sends)
      if (m.peer == peer) send(posting, m);
  }
  int me_ = rank_of_all();
  std::vector<int> peers_;
};

}  // namespace

CarrierPointer make_ordered(const RoundPlace& place) { return std::make_unique<Ordered>(place); }

}  // namespace phasewise::comm
