// Posts sends, then receives with blocking calls.
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/two_sided.hpp"

namespace phasewise::comm {
namespace {

class IsendRecv : public TwoSided {
 public:
  using TwoSided::TwoSided;

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages);
    requests_.assign(messages.sends.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < requests_.size(); ++i)
      start_send(posting, messages.sends[i], &requests_[i]);
    for (const Message& m : messages.receives) receive(posting, m);
    wait_for_all(requests_);
    posting.finished();
    return {};
  }

 private:
  std::vector<MPI_Request> requests_;
};

}  // namespace

CarrierPointer make_isend_recv(const RoundPlace& place) {
  return std::make_unique<IsendRecv>(place);
}

}  // namespace phasewise::comm
