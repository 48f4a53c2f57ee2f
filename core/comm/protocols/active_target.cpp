// One-sided messages between calls that both ends make: fences, and post, start, complete and wait.
#include <algorithm>

#include "comm/protocols/carriers.hpp"
#include "comm/protocols/window.hpp"

namespace phasewise::comm {
namespace {

// Every rank puts its data, and a fence of all ranks ends the round. With two halves of the window
// one fence per round is enough, since data of the next round go into the other half.
class Fence : public Windowed {
 public:
  explicit Fence(const RoundPlace& place) : Windowed(place, exchange::Overhead::one_sided) {
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window_.get());
  }

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages, false);
    put_all(posting, messages);
    MPI_Win_fence(0, window_.get());
    group_.recorder().synchronised(messages.phase, 1);
    window_.next_half();
    posting.finished();
    return {};
  }
};

// The group of the distinct peers of some links; the destructor frees it.
class PeerGroup {
 public:
  PeerGroup(const Communicator& group, const std::vector<Link>& links) {
    std::vector<int> peers;
    peers.reserve(links.size());
    for (const Link& link : links) peers.push_back(link.peer_here);
    std::ranges::sort(peers);
    peers.erase(std::ranges::unique(peers).begin(), peers.end());
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm_group(Inside::comm(group), &all);
    MPI_Group_incl(all, static_cast<int>(peers.size()), peers.data(), &group_);
    MPI_Group_free(&all);
    size_ = std::ssize(peers);
  }
  ~PeerGroup() {
    if (!mpi_has_ended() && size_ > 0) MPI_Group_free(&group_);
  }
  PeerGroup(const PeerGroup&) = delete;
  PeerGroup& operator=(const PeerGroup&) = delete;

  MPI_Group get() const { return group_; }
  std::int64_t size() const { return size_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
  std::int64_t size_ = 0;
};

// A rank opens its memory to those that write to it (post), writes to others (start,
// put, complete), and waits for its own data (wait).
class PostStart : public Windowed {
 public:
  explicit PostStart(const RoundPlace& place)
      : Windowed(place, exchange::Overhead::one_sided),
        to_(group_, sends_),
        from_(group_, receives_) {}

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages, false);
    if (from_.size() > 0) MPI_Win_post(from_.get(), 0, window_.get());
    if (to_.size() > 0) {
      MPI_Win_start(to_.get(), 0, window_.get());
      put_all(posting, messages);
      MPI_Win_complete(window_.get());
    }
    if (from_.size() > 0) MPI_Win_wait(window_.get());
    group_.recorder().synchronised(messages.phase, to_.size() + from_.size());
    posting.finished();
    return {};
  }

 private:
  PeerGroup to_, from_;
};

}  // namespace

CarrierPointer make_fence(const RoundPlace& place) { return std::make_unique<Fence>(place); }

CarrierPointer make_post_start(const RoundPlace& place) {
  return std::make_unique<PostStart>(place);
}

}  // namespace phasewise::comm
