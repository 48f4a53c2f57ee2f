// One-sided: every rank puts its data, and a fence of all ranks ends the round. With two halves of
// the window one fence per round is enough, since data of the next round go into the other half.
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/windowed.hpp"

namespace phasewise::comm {
namespace {

class Fence : public Windowed {
 public:
  explicit Fence(const RoundPlace& place) : Windowed(place, Overhead::one_sided) {
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

}  // namespace

CarrierPointer make_fence(const RoundPlace& place) { return std::make_unique<Fence>(place); }

}  // namespace phasewise::comm
