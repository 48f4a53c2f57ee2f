// One-sided messages on a simulated machine. The passive end waits beforehand: a put goes to a
// receive that was posted when its memory became free, and a get reads from a send that was posted
// when its data were exposed. Data move when the active end asks, and the flush is the end of its
// request. SimGrid 3.32's own puts lock the window in which a rank awaits a flush, and with it all
// other ranks that write to it, which no real machine does.
#pragma once

#include <array>
#include <vector>

#include "comm/protocols/window.hpp"

namespace phasewise::comm {

class WaitingEnds {
 public:
  // Collective over the group.
  explicit WaitingEnds(const RoundPlace& place) : comm_(duplicate(Inside::comm(place.group))) {}
  ~WaitingEnds();  // collective too
  WaitingEnds(const WaitingEnds&) = delete;
  WaitingEnds& operator=(const WaitingEnds&) = delete;

  // Lets data arrive in a half of the window; the data that came there before have been used.
  void expect(const std::vector<Link>& links, const HalvedWindow& window, int half);
  // Puts all messages, and returns when they have arrived.
  void put(const Posting& posting, std::span<const Message> messages,
           const std::vector<Link>& links);
  // Lets others read messages from a half of the window.
  void expose(const Posting& posting, std::span<const Message> messages,
              const std::vector<Link>& links, int half);
  // Reads all messages, and returns when they have arrived here.
  void get(const Posting& posting, std::span<const Message> messages,
           const std::vector<Link>& links);

 private:
  OwnedComm comm_;
  std::array<std::vector<MPI_Request>, 2> waiting_;  // the requests of each half
  std::vector<MPI_Request> asked_;
};

}  // namespace phasewise::comm
