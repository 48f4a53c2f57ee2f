// Blocking calls: pairs of ranks exchange one after another, the pair with the lowest ranks first,
// and of two ranks the lower one sends first. All ranks go through their pairs in one order, so
// that none of them waits for ever.
#include <algorithm>
#include <set>

#include "comm/protocols/carriers.hpp"
#include "comm/protocols/two_sided.hpp"

namespace phasewise::comm {
namespace {

class Ordered : public TwoSided {
 public:
  using TwoSided::TwoSided;

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages);
    std::set<std::pair<int, int>> pairs;
    for (const Message& m : messages.sends) pairs.insert(std::minmax(me_, m.peer));
    for (const Message& m : messages.receives) pairs.insert(std::minmax(me_, m.peer));
    for (const auto& [lower, upper] : pairs) {
      const int peer = lower == me_ ? upper : lower;
      if (lower == me_) send_to(posting, messages, peer);
      for (const Message& m : messages.receives)
        if (m.peer == peer) receive(posting, m);
      if (lower != me_) send_to(posting, messages, peer);
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
};

}  // namespace

CarrierPointer make_ordered(const RoundPlace& place) { return std::make_unique<Ordered>(place); }

}  // namespace phasewise::comm
